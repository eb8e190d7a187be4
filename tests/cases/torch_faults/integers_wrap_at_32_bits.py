# touchstone: 1
# expect: torch:fault:integers_wrap_at_32_bits Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + 4294967297


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
