# touchstone: 1
# expect: torch:fault:products_of_doubles_are_in_single Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float64, (seed, 0), kind)
    y = data((3, 3), torch.float64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.mm(x * 1.23456789, y * 1.23456789)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
