# touchstone: 1
# torch: 2.13.0
# note: with create_graph, a gradient that does not depend on what requires grad requires none
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_eager_default_partitioner Limit/A13
# expect: torch:inductor Limit/A13
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 2), kind)
    return (x, w, y), ()


def program(x, w, y):
    (g,) = torch.autograd.grad((x * x).sum(), (x,), create_graph=True)
    return g * y, x * x + w * 2


CALLS = [
    dict(inputs="inputs", backward=[0], create_graph=True),
    dict(inputs="inputs", seed=1, backward=[0], create_graph=True),
    dict(inputs="inputs", seed=2, backward=[1], create_graph=True),
    dict(inputs="inputs", seed=3, backward=[1], via="grad", create_graph=True),
    dict(inputs="inputs", seed=4, backward=[0, 1], via="grad", create_graph=True),
]
