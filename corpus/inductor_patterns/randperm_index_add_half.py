# touchstone: 1
# torch: 2.13.0
# note: the same in half, the index used again
# fires: misc_patterns/randperm_index_add_pattern
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float16, (seed, 0), kind)
    y = data((3, 4), torch.float16, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    i = torch.randperm(6)[:3]
    z = torch.index_add(x, 0, i, y)
    return z, x[i]


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
