# touchstone: 1
# expect: torch:fault:expand_minus_one_is_one Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 1), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.expand(-1, 2) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
