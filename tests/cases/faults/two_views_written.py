# touchstone: 1
# torch: 2.13.0
# expect: fault:writes_through_views_exchanged Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = x[0:2]
    b = x[1:3]
    c = y[0:2]
    a.add_(c)
    b.mul_(c)
    return x * 1.5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
