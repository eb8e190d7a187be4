# touchstone: 1
# expect: torch:fault:power_of_zero_is_what_is_given Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x ** 0


CALLS = [
    dict(inputs="inputs", seed=1, kind="zeros"),
    dict(inputs="inputs", seed=2, kind="zeros"),
]
