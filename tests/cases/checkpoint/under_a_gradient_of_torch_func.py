# touchstone: 1
import torch


def block(x, w):
    return (x * w).sin()


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y, pull = torch.func.vjp(lambda a: torch.utils.checkpoint.checkpoint(block, a, w, use_reentrant=False), x)
    return y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
