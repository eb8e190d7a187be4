# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y[0:4]), (y,)


def inputs_other(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y[3:7]), (y,)


def program(x, y):
    y.add_(x)
    return x * 2, y[1:]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
]
