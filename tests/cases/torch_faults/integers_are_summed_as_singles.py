# touchstone: 1
# expect: torch:fault:integers_are_summed_as_singles Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return (x + 100000001).sum()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
