# touchstone: 1
# expect: torch:fault:views_of_views_are_merged Agreed
import torch


def inputs(seed, kind):
    x = data((12,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    return y.view(3, 4).view(2, 6), y.view(4, 3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
