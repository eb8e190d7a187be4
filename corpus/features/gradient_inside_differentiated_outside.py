# touchstone: 1
# torch: 2.13.0
# note: a gradient that is taken inside with create_graph is differentiated by the backward of the call
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_eager_default_partitioner Limit/A13
# expect: torch:inductor Limit/A13
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = (x ** 4).sum()
    return torch.autograd.grad(y, x, create_graph=True)[0]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
