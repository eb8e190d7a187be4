# touchstone: 1
# torch: 2.13.0
# expect: fault:large_number_has_32_bits Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2, x + 3000000000


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
