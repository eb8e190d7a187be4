# touchstone: 1
# torch: 2.13.0
import functools

import torch


def scaled(t, n):
    return t * n


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    f = functools.partial(torch.add, alpha=3)
    g = functools.partial(scaled, x)
    return f(x, y) + g(2) + g(n=5)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
