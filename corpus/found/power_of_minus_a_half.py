# touchstone: 1
# torch: 2.13.0
# note: eager computes the power -0.5 as 1 / sqrt(x), Inductor by pow, which is what C says of -inf and -0.
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([-float("inf"), -0.0])
    return (x,), ()


def program(x):
    return x ** -0.5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
