# touchstone: 1
# torch: 2.13.0
# note: one storage, a row and a column that cross in one element
import torch


def inputs(seed, kind):
    base = data((4, 4), torch.float32, (seed, 0), kind)
    x = base[1]
    y = base[:, 2]
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    y.add_(1)
    return x.sum() * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
