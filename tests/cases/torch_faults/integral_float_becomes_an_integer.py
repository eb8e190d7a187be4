# touchstone: 1
# expect: torch:fault:integral_float_becomes_an_integer Differs/dtype/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 2.0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
