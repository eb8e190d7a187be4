# touchstone: 1
# torch: 2.13.0
# expect: fault:offset_of_whole_numbers_lost Differs/values
import torch


def inputs(seed, kind):
    x = data((4, 4), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[1:], x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
