# touchstone: 1
# expect: torch:fault:dividing_integers_is_a_shift Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.div(x, 2, rounding_mode="trunc")


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
