# touchstone: 1
# torch: 2.13.0
# note: the length is the lesser of one size and of the other without 1
import torch


def inputs(seed, kind):
    x = data((4, 2), torch.float32, (seed, 1), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((4, 4), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    return x.diagonal(offset=1, dim1=1, dim2=0) + 0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
