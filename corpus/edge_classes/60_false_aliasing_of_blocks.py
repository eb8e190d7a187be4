# touchstone: 1
# torch: 2.13.0
# note: one storage, disjoint inputs: opposite corners of a matrix
import torch


def inputs(seed, kind):
    base = data((4, 4), torch.float32, (seed, 0), kind)
    x = base[0:2, 0:2]
    y = base[2:4, 2:4]
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    y.add_(1)
    return x.sum() * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
