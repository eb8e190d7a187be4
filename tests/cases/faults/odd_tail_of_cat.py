# touchstone: 1
# torch: 2.13.0
# expect: fault:tail_of_cat_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((3, 7), torch.float32, (seed, 0), kind)
    y = data((2, 7), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.cat([x, y])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
