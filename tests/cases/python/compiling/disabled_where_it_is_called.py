# touchstone: 1
# torch: 2.13.0
import torch


def plain(a, b):
    return a.cos() * b


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    f = torch.compiler.disable(plain)
    return f(x, y) + plain(y, x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
