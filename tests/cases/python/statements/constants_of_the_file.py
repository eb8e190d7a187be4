# touchstone: 1
# torch: 2.13.0
import torch

SCALE = 2.5
SHIFTS = 1, 2, 3
NAMES = {"a": 1, "b": 2}


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * SCALE + SHIFTS[1] * y, NAMES["b"]


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
