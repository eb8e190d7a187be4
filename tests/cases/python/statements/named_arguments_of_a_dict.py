# touchstone: 1
# torch: 2.13.0
import torch


def scaled(t, n):
    return t * n


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    options = dict(alpha=2)
    return torch.add(x, y, **options) + scaled(**dict(t=x, n=3))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
