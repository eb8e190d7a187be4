# touchstone: 1
# torch: 2.13.0
import torch


class Box:
    def __init__(self, t):
        self.inside = t

    @property
    def area(self):
        return self.inside.size(0) * self.inside.size(1)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    b = Box(x)
    b.inside = y
    return x * b.area + b.inside, b.area


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
