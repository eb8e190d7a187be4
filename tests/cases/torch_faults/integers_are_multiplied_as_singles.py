# touchstone: 1
# expect: torch:fault:integers_are_multiplied_as_singles Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return (x + 100003) * 100003


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
