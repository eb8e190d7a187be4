# touchstone: 1
# torch: 2.13.0
# note: data, then metadata of an input
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), (x.view(-1),)


def program(x):
    x.add_(1)
    x.t_()
    return x.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
