# touchstone: 1
# torch: 2.13.0
# note: of 2 one element is left, of 3 and more two: that is Min(2, n - 1), and not Min(2, n//2), as 2, 4 and larger sizes alone would have it
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 1), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    return x[::x.size(0) // 2 + 1]


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs_2", seed=1),
]
COMPILE = dict(dynamic=True)
