# touchstone: 1
# torch: 2.13.0
# note: one storage, disjoint inputs: a row, and the other rows transposed
import torch


def inputs(seed, kind):
    base = data((4, 4), torch.float32, (seed, 0), kind)
    x = base[0]
    y = base[1:4].t()
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    y.add_(1)
    return x.sum() * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
