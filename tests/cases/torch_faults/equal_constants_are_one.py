# touchstone: 1
# expect: torch:fault:equal_constants_are_one Differs/dtype/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 1
    return y, x * 1.0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
