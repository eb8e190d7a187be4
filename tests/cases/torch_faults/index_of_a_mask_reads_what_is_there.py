# touchstone: 1
# expect: torch:fault:index_of_a_mask_reads_what_is_there ReadsUninitialized
import torch


def inputs(seed, kind):
    c = data((6,), torch.bool, (seed, 0), kind)
    x = data((6,), torch.float32, (seed, 1), kind)
    return (c, x), ()


def program(c, x):
    return torch.where(c, x, torch.zeros(6))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
