# touchstone: 1
# expect: torch:fault:negative_dimension_of_cumsum_is_the_one_before Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.cumsum(x, -1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
