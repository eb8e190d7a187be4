# touchstone: 1
# torch: 2.13.0
import torch
import torch._higher_order_ops


def combine(a, b):
    return a + b


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch._higher_order_ops.associative_scan(combine, y, 0, combine_mode="generic")


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
