# touchstone: 1
# torch: 2.13.0
# note: Inductor: torch.index_add whose self and source are one intermediate reads what it has already added to
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 1), kind)
    return (x,), ()


def program(x):
    y = x.add(x)
    return torch.index_add(y, 0, torch.tensor([1, 0]), y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
