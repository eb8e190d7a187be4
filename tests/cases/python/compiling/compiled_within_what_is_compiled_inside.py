# touchstone: 1
# torch: 2.13.0
import torch


@torch.compile(backend="eager")
def inner(a, b):
    return a * b + 1


@torch.compile(backend="aot_eager")
def outer(a, b):
    return inner(a, b).sin()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return outer(x, y) - y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
