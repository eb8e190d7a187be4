# touchstone: 1
# expect: torch:fault:branches_of_where_are_swapped Differs
import torch


def inputs(seed, kind):
    c = data((6,), torch.bool, (seed, 0), kind)
    x = data((6,), torch.float32, (seed, 1), kind).requires_grad_()
    y = data((6,), torch.float32, (seed, 2), kind).requires_grad_()
    return (c, x, y), ()


def program(c, x, y):
    return torch.where(c, x, y)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
