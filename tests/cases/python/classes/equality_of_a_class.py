# touchstone: 1
# torch: 2.13.0
import torch


class Size:
    def __init__(self, t):
        self.rows = t.size(0)

    def __eq__(self, other):
        return isinstance(other, Size) and self.rows == other.rows


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    same = Size(x) == Size(y)
    if same and Size(x) != 3:
        return x * 2
    return y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
