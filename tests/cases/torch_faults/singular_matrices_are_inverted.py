# touchstone: 1
# expect: torch:fault:singular_matrices_are_inverted Differs
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.linalg.inv(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
