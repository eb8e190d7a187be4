# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    n = x.size(0) // 2
    return x[n:].neg()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
COMPILE = dict(dynamic=True)
