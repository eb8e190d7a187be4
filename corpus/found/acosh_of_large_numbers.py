# touchstone: 1
# torch: 2.13.0
# note: the vectorized acosh that Inductor uses is infinite above the root of the largest float; eager uses the scalar one. A bug: wrong values.
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.full((16,), 1e+30)
    return (x,), ()


def program(x):
    return x.acosh()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
