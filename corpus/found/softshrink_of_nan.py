# touchstone: 1
# torch: 2.13.0
# note: Inductor makes x * 0 into 0, which the decomposition relies on to pass on NaN: see found/multiplication_by_zero_is_zero.py.
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([float("nan"), 1.0])
    return (x,), ()


def program(x):
    return torch.nn.functional.softshrink(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
