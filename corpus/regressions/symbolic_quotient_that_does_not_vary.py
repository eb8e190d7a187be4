# touchstone: 1
# torch: 2.13.0
# note: what is computed of a size is 0 under all assignments, and 2 in a later call
import torch


def inputs(seed, kind):
    x0 = data((4, 3), torch.float32, (seed, 1), kind)
    return (x0,), ()


def inputs_2(seed, kind):
    x0 = data((128, 3), torch.float32, (seed, 1), kind)
    return (x0,), ()


def program(x0):
    return x0[x0.size(0) // 64:]


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
