# touchstone: 1
# torch: 2.13.0
# note: one storage, two contiguous inputs that overlap in half of their elements
import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    x = base[0:8]
    y = base[4:12]
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    y.add_(1)
    return x.sum() * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
