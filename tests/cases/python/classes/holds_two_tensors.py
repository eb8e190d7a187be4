# touchstone: 1
# torch: 2.13.0
import torch


class Two:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def total(self):
        return self.left + self.right


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    p = Two(x, y)
    y.add_(1)
    return p.total() * 2, p.left


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
