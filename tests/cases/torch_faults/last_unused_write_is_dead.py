# touchstone: 1
# expect: torch:fault:last_unused_write_is_dead Differs/version/call 0 arg 0
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    x.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
