# touchstone: 1
# torch: 2.13.0
import torch


class Maker:
    factor = 2

    def __init__(self, t):
        self.held = t

    @classmethod
    def twice(cls, t):
        return cls(t * cls.factor)

    @staticmethod
    def plus(t, n):
        return t + n


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    m = Maker.twice(x)
    return m.held + Maker.plus(y, 1)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
