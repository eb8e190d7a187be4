# touchstone: 1
# expect: torch:fault:multiplying_by_three_is_a_shift Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
