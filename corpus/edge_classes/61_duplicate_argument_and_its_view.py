# touchstone: 1
# torch: 2.13.0
# note: the same tensor in two slots and a view of it in a third
import torch


def inputs(seed, kind):
    base = data((3, 4), torch.float32, (seed, 0), kind)
    return (base, base[1], base), ()


def program(x, v, y):
    v.mul_(2)
    y.add_(1)
    return x + v


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
