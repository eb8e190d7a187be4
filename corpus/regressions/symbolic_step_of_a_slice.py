# touchstone: 1
# torch: 2.13.0
# note: two elements are left of all sizes but 2, which none of the assignments had
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 1), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((2,), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    return x[::x.size(0) // 2 + 1]


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
