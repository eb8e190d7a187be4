# touchstone: 1
# torch: 2.13.0
import torch


class Setting:
    def __init__(self, t):
        self.held = t
        self.writes = 0

    @property
    def value(self):
        return self.held

    @value.setter
    def value(self, t):
        self.writes += 1
        self.held = t * 2


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    s = Setting(x)
    s.value = y
    return s.value + x, s.writes


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
