# touchstone: 1
# expect: torch:fault:last_element_is_not_written ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((9,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.exp(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
