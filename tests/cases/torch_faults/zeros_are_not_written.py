# touchstone: 1
# expect: torch:fault:zeros_are_not_written ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.zeros(6) + x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
