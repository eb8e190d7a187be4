# touchstone: 1
# torch: 2.13.0
# note: mutation and a view as output
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.mul_(2)
    return x.view(-1), x.select(0, 1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
