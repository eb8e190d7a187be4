# touchstone: 1
# torch: 2.13.0
# expect: fault:lerp_swapped Differs/values
# expect: fault:where_of_negation_unswapped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.where(torch.logical_not(x > 0), x, y), torch.where(x > 0, x, y), torch.lerp(x, y, 0.25)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
