# touchstone: 1
import torch


def plus_one(y):
    return y + 1


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    fs = [lambda y: y.sin(), lambda y: y * 2, plus_one]
    r = w
    for f in fs:
        r = f(r)
    return r + fs[0](x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
