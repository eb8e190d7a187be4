# touchstone: 1
# torch: 2.13.0
# note: a branch returns a view at an offset: the fake results have it, too.
import torch


def inputs(seed, kind):
    x2 = data((2,), torch.float32, (seed, 1), kind)
    return (x2,), ()


def helper_1(y10):
    y12, y13 = torch.cat([y10, y10]).chunk(2)
    return y13


def program(x2):
    y0 = None
    torch.ones((0,))
    y2 = None
    y3 = None
    def inner_1(y0, x2):
        nonlocal y2, y3
        y3 = x2
    inner_1(y0, x2)
    y14, y15 = torch.cond(y3.sum(), lambda: helper_1(y3), lambda: helper_1(y3))
    return y15, y2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
