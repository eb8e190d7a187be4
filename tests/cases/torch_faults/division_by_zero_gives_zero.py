# touchstone: 1
# expect: torch:fault:division_by_zero_gives_zero MissingRefusal
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    y = data((4,), torch.int64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x // (y * 0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
