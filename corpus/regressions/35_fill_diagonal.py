# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#163420: fill_diagonal_ on an intermediate and on an input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    w = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = w.mul(2)
    y.fill_diagonal_(3)
    x.fill_diagonal_(1)
    return y * x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
