# touchstone: 1
# torch: 2.13.0
import torch


class Affine:
    def __init__(self, factor, shift):
        self.factor = factor
        self.shift = shift

    def __call__(self, t):
        return t * self.factor + self.shift


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    f = Affine(2.0, y)
    return f(f(x))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
