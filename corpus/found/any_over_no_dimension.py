# touchstone: 1
# torch: 2.13.0
# note: any and all with an empty list of dimensions reduce nothing in eager, and everything under Inductor. A bug.
# expect: torch:inductor Differs/shape
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.any(dim=()), x.all(dim=())


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
