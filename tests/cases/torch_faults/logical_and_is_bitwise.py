# touchstone: 1
# expect: torch:fault:logical_and_is_bitwise Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.int64, (seed, 0), kind)
    y = data((8,), torch.int64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.logical_and(x * 0 + 1, y * 0 + 2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
