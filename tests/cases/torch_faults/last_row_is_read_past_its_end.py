# touchstone: 1
# expect: torch:fault:last_row_is_read_past_its_end ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
