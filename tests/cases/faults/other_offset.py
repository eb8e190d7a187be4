# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)[0:4]
    return (x,), ()


def inputs_other(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)[2:6]
    return (x,), ()


def program(x):
    x.add_(1)
    return x[1:]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_other", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs_other", seed=4),
]
