# touchstone: 1
# torch: 2.13.0
import torch


def inner(a, b):
    return (a + b).relu()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    f = torch.compile(inner, backend="eager")
    return f(x, y) * 2


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
