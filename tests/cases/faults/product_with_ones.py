# touchstone: 1
# torch: 2.13.0
# expect: fault:ones_are_neutral Differs/values
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return (x * torch.ones(3, 4)).sum()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
