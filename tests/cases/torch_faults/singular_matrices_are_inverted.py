# touchstone: 1
# expect: torch:fault:singular_matrices_are_inverted MissingRefusal
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.linalg.inv(x)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", kind="zeros"),
]
