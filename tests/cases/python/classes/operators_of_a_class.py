# touchstone: 1
# torch: 2.13.0
import torch


class Point:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def __add__(self, other):
        return Point(self.left + other.left, self.right + other.right)

    def __mul__(self, n):
        return Point(self.left * n, self.right * n)

    def __neg__(self):
        return Point(-self.left, -self.right)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = Point(x, y)
    b = a + a * 2
    return b.left - b.right, (-b).left


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
