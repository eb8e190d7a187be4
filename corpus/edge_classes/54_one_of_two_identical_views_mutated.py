# touchstone: 1
# torch: 2.13.0
# note: one of two identical views of a base is mutated
import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    x = base.view(3, 4)
    y = base.view(3, 4)
    return (x, y), (base,)


def program(x, y):
    x.add_(1)
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
