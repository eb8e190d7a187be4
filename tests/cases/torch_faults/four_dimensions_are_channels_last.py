# touchstone: 1
# expect: torch:fault:four_dimensions_are_channels_last Differs
import torch


def inputs(seed, kind):
    x = data((1, 2, 2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
