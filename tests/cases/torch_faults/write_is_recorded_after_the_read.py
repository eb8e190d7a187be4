# touchstone: 1
# expect: torch:fault:write_is_recorded_after_the_read Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.add_(1)
    y = x * 2
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
