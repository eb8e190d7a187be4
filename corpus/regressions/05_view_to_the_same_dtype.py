# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#136064: mutation through a view to the same dtype
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.view(torch.float32).add_(1)
    return x.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
