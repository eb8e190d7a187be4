# touchstone: 1
# torch: 2.13.0
import torch


def up(a, b):
    return a * b


def down(a, b):
    return a - b


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    z = x * 1
    v = z[0]
    z.mul_(2)
    w = torch.cond(v.sum() > 0, up, down, (z, y))
    w.add_(v)
    z.sub_(1)
    return w, z


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0, 1], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0, 1], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0, 1], tangent_seed=3),
]
