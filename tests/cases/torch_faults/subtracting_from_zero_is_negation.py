# touchstone: 1
# expect: torch:fault:subtracting_from_zero_is_negation Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return 0 - x


CALLS = [
    dict(inputs="inputs", seed=1, kind="zeros"),
    dict(inputs="inputs", seed=2, kind="zeros"),
]
