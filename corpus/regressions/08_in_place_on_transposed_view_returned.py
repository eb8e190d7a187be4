# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#111417: transpose view of the input, in-place on it, return the view
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.t()
    y.mul_(2)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
