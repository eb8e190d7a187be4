# touchstone: 1
# torch: 2.13.0
import torch


class Rows:
    def __init__(self, items):
        self.rows = items

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __setitem__(self, i, t):
        self.rows[i] = t


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    rows = Rows([x, y, x + y])
    rows[1] = y * 2
    total = rows[0]
    for i in range(len(rows)):
        total = total + rows[i]
    return total


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
