# touchstone: 1
# expect: torch:fault:sums_of_halves_saturate Differs
import torch


def inputs(seed, kind):
    x = data((8,), torch.float16, (seed, 0), kind)
    return (x,), ()


def program(x):
    return (x * 0 + 1000).sum()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
