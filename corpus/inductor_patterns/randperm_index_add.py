# touchstone: 1
# torch: 2.13.0
# note: rows added where a permutation says
# fires: misc_patterns/randperm_index_add_pattern
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).detach().requires_grad_()
    return (x, y), ()


def program(x, y):
    i = torch.randperm(6)[:3]
    return torch.index_add(x, 0, i, y), i


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
