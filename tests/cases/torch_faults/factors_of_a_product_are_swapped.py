# touchstone: 1
# expect: torch:fault:factors_of_a_product_are_swapped Differs
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.mm(x, y)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
