# touchstone: 1
# torch: 2.13.0
import torch
import torch._higher_order_ops


def combine(carry, rows):
    return {"a": carry["a"] * rows[0], "b": [carry["b"][0] + rows[1].sum()]}, (rows[0] * rows[1], rows[1] > 0)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    start = {"a": torch.ones(2), "b": [torch.zeros(())]}
    carry, rows = torch._higher_order_ops.scan(combine, start, [x.detach(), y.detach()])
    return carry, rows


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
