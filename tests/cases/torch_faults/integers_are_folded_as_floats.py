# touchstone: 1
# expect: torch:fault:integers_are_folded_as_floats Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 16777217 + 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
