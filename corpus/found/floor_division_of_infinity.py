# touchstone: 1
# torch: 2.13.0
# note: Inductor rounds the quotient, the kernel corrects it by the remainder: infinity divided is NaN in eager, as in Python.
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([float("inf"), -float("inf")])
    return (x,), ()


def program(x):
    return torch.floor_divide(x, 3.0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
