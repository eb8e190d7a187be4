# touchstone: 1
# torch: 2.13.0
# note: where nothing but the inputs may be saved, the backward computes the dropout again, and draws other numbers than the forward: the gradient is that of another mask, silently (pytorch/pytorch#190758). A bug.
# expect: torch:aot_eager Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 0 leaf 0
# expect: torch:inductor Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((32,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.dropout(x.sin(), 0.5, True).cos()


CALLS = [
    dict(inputs="inputs", seed=1, rng_seed=5, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, rng_seed=6, backward=[0], tangent_seed=4),
]
COMPILE = dict(config={"functorch.activation_memory_budget": 0})
