# touchstone: 1
# torch: 2.13.0
# expect: fault:copy_of_cast_dropped Differs/partition
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.to(torch.float32, copy=True)
    y.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
