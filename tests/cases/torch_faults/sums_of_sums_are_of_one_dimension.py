# touchstone: 1
# expect: torch:fault:sums_of_sums_are_of_one_dimension Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.sum(0).sum(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
