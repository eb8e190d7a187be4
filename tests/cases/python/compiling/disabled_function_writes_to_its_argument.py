# touchstone: 1
# torch: 2.13.0
import torch


@torch.compiler.disable
def outside(a):
    a.mul_(3)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    z = x * 2
    w = z + y
    outside(z)
    return z, w


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0, 1]),
    dict(inputs="inputs", seed=8, backward=[0, 1]),
]
