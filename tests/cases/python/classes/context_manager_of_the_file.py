# touchstone: 1
# torch: 2.13.0
import torch


class Scope:
    def __init__(self):
        self.factor = 1.0
        self.exits = 0

    def __enter__(self):
        self.factor = 4.0
        return self

    def __exit__(self, kind, value, trace):
        self.factor = 0.5
        self.exits += 1


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    scale = Scope()
    with scale as s:
        z = x * s.factor
    return z + y * scale.factor, scale.exits


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
