# touchstone: 1
# torch: 2.13.0
# note: a size changes of a view that is not looked at, and none of what it is a view of
import torch


def inputs(seed, kind):
    b0 = data((30,), torch.float32, (seed, 1), kind)
    x = data((3,), torch.float32, (seed, 2), kind)
    return (b0, b0.view(5, 6), x), ()


def inputs_2(seed, kind):
    b0 = data((30,), torch.float32, (seed, 1), kind)
    x = data((4,), torch.float32, (seed, 2), kind)
    return (b0, b0.view(6, 5), x), ()


def inputs_3(seed, kind):
    b0 = data((30,), torch.float32, (seed, 1), kind)
    x = data((7,), torch.float32, (seed, 2), kind)
    return (b0, b0.view(10, 3), x), ()


def program(b, v, x):
    return b * 2, x + 1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
    dict(inputs="inputs_3"),
]
COMPILE = dict(dynamic=None)
