# touchstone: 1
# torch: 2.13.0
# note: the first rows of a permutation
# fires: misc_patterns/randperm_index_add_pattern
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    i = torch.randperm(6)[:3]
    return x[i], i


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
