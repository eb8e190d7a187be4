# touchstone: 1
# expect: torch:fault:rolls_over_two_dimensions_are_added Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.roll(torch.roll(x, 1, 0), 1, 1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
