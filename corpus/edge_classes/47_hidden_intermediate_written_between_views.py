# touchstone: 1
# torch: 2.13.0
# note: two views of a hidden intermediate, which is written to between them
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    a = y[0:2]
    y.mul_(x)
    return a, y[1:3]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[1], tangent_seed=5),
]
