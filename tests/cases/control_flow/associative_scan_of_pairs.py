# touchstone: 1
# torch: 2.13.0
import torch
import torch._higher_order_ops


def combine(left, right):
    return left[0] * right[0], left[1] * right[0] + right[1]


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch._higher_order_ops.associative_scan(combine, (x, y), 0, combine_mode="generic")


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
