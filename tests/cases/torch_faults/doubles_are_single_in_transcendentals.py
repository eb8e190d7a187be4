# touchstone: 1
# expect: torch:fault:doubles_are_single_in_transcendentals Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sin(x * 1.23456789)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
