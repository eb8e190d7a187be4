# touchstone: 1
# torch: 2.13.0
# note: Inductor replaces the cumsum of a constant by an arange, and forgets the dtype that was asked for. A bug (pytorch/pytorch#189518 has the shape).
# expect: torch:inductor Differs/dtype
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.zeros_like(x).cumsum(0, dtype=torch.float64), x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
