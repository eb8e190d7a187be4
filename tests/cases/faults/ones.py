# touchstone: 1
# torch: 2.13.0
# expect: fault:full_unwritten ReadsUninitialized
# expect: fault:sum_written_behind OutOfBounds
# expect: fault:zeros_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * torch.ones(2, 3, 4), torch.zeros(3, 4) + x, torch.full((3, 4), 2.5) + x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
