# touchstone: 1
# torch: 2.13.0
import torch


class Halves:
    def __init__(self, t, n):
        self.held = t
        self.left = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        self.held = self.held / 2
        return self.held


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    total = y
    for piece in Halves(x, 3):
        total = total + piece
    return total


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
