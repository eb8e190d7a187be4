# touchstone: 1
# torch: 2.13.0
import torch


def goes_on(n, z):
    return n < 3


def step(n, z):
    return n + 1, z * 2


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    n, z = torch.while_loop(goes_on, step, (torch.zeros((), dtype=torch.int64), y.detach()))
    return z * x, n


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
