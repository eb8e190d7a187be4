# touchstone: 1
import torch
import torch._higher_order_ops


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    a = x * 2
    b = x * 2
    return torch._higher_order_ops.map(lambda pair: torch.cond(pair[0].sum() > 0, lambda left, right: left * right, lambda left, right: left - right, pair), (a, b))


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=2),
]
