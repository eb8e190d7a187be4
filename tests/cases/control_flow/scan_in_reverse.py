# touchstone: 1
# torch: 2.13.0
import torch
import torch._higher_order_ops


def combine(carry, row):
    return carry.sin() + row, (carry * row).sum()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    carry, rows = torch._higher_order_ops.scan(combine, y[0] * 1, x, reverse=True)
    return rows + carry.sum()


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
