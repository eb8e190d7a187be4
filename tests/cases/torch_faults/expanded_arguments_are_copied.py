# touchstone: 1
# expect: torch:fault:expanded_arguments_are_copied Differs
import torch


def inputs(seed, kind):
    b = data((1, 3), torch.float32, (seed, 0), kind)
    x = b.expand(2, 3)
    return (x,), ()


def program(x):
    return x[1:]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
