# touchstone: 1
# torch: 2.13.0
# expect: fault:write_of_copy_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    x[0] = y[1]
    x[1].copy_(y[0])
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
