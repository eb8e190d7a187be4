# touchstone: 1
# expect: torch:fault:dimensions_of_size_one_are_squeezed Differs
import torch


def inputs(seed, kind):
    x = data((2, 1, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
