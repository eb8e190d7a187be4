# touchstone: 1
# expect: torch:fault:padding_is_not_written ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.constant_pad_nd(x, [1, 2], 2.5)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
