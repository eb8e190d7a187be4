# touchstone: 1
# torch: 2.13.0
# note: one of two symbols was greater by 2 under all assignments, and the size of an input was taken for that of the other and 2
import torch


def inputs(seed, kind):
    x = data((2, 3, 4, 2, 1), torch.float32, (seed, 1), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2, 2, 2, 2, 1), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    return x.view(x.size(0), -1)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
