# touchstone: 1
# torch: 2.13.0
# note: contributions to a gradient that cancel: the sum hangs on their order, and either order is right.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((), torch.float32, (seed, 2), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y1 = torch.lerp(x1, x1, x1)
    return y1, y1, x1


CALLS = [
    dict(inputs="inputs", seed=11, kind="special", backward=[0, 1, 2], tangent_seed=37, tangent_layout="contiguous"),
    dict(inputs="inputs", seed=12, kind="special", backward=[0, 1, 2], tangent_seed=37, tangent_layout="contiguous"),
    dict(inputs="inputs", seed=13, kind="special", backward=[0, 1, 2], tangent_seed=37, tangent_layout="contiguous"),
    dict(inputs="inputs", seed=14, kind="special", backward=[0, 1, 2], tangent_seed=37, tangent_layout="contiguous"),
]
