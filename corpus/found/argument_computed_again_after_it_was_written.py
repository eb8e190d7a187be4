# touchstone: 1
# torch: 2.13.0
# note: where nothing but the inputs may be saved, the backward computes `b + 1` again, of a `b` to which the runtime has written the sum: 1 is added twice, and the gradient is wrong, silently. A bug; by default what a written input is computed from is saved.
# expect: torch:aot_eager Differs/gradient_values/call 0 leaf 0
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 0 leaf 0
# expect: torch:inductor Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((4,), torch.float32, (seed, 1), kind)
    return (x, b), ()


def program(x, b):
    b.add_(1)
    return b * x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
COMPILE = dict(config={"functorch.activation_memory_budget": 0})
