# touchstone: 1
# torch: 2.13.0
# expect: fault:padding_is_zero Differs/values
# expect: fault:padding_sides_swapped Differs/values
# expect: fault:padding_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.pad(x, (1, 2), value=3.0), torch.nn.functional.pad(x, (1, 2))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
