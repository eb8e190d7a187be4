# touchstone: 1
# torch: 2.13.0
# expect: fault:write_to_view_of_view_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x[0][1:].mul_(3)
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
