# touchstone: 1
# expect: torch:fault:where_of_a_negation_is_swapped Agreed
import torch


def inputs(seed, kind):
    c = data((8,), torch.bool, (seed, 0), kind)
    x = data((8,), torch.float32, (seed, 1), kind)
    y = data((8,), torch.float32, (seed, 2), kind)
    return (c, x, y), ()


def program(c, x, y):
    return torch.where(torch.logical_not(c), x, y)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
