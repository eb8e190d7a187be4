# touchstone: 1
# expect: torch:fault:offset_of_a_diagonal_has_no_sign Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.diagonal(x, -1) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
