# touchstone: 1
# expect: torch:fault:pieces_of_a_split_are_copies_from_the_third_on Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    a, b, c = torch.split(y, 2)
    return a, b, c


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
