# touchstone: 1
# expect: torch:fault:constants_are_single Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 0.1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
