# touchstone: 1
# expect: torch:fault:difference_is_a_sum_of_the_negation Agreed
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x - y


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
