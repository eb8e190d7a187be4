# touchstone: 1
# torch: 2.13.0
# note: data of one aliased input, metadata of the other
import torch


def inputs(seed, kind):
    base = data((12,), torch.float32, (seed, 0), kind)
    x = base.view(3, 4)
    y = base.view(4, 3)
    return (x, y), (base,)


def program(x, y):
    x.mul_(2)
    y.t_()
    return x + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
