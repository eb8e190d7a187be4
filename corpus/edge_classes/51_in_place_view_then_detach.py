# touchstone: 1
# torch: 2.13.0
# note: an in-place view of an intermediate, then detach_
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    y.t_()
    y.detach_()
    return y, x.mul(3)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4),
]
