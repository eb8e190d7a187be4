# touchstone: 1
# torch: 2.13.0
import torch


def goes_on(n, z):
    return n < 3


def step_of(n, z):
    return n + 1, z * 2


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    n, z = torch.while_loop(goes_on, step_of, (torch.zeros((), dtype=torch.int64), y))
    return z, n


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
