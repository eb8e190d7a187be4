# touchstone: 1
# expect: torch:fault:operands_of_a_sum_commute Agreed
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x + y, x * y


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
