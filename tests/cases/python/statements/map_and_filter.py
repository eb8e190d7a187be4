# touchstone: 1
# torch: 2.13.0
import torch


def double(t):
    return t * 2


def has_rows(t):
    return t.dim() > 1


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    total = y
    for t in map(double, filter(has_rows, [x, y, x[0]])):
        total = total + t
    return total, list(map(str, [1, 2]))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
