# touchstone: 1
# torch: 2.13.0
import torch


def f(a):
    return a.sin()


def g(a):
    return (a * a * a).sum()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    j = torch.func.jacrev(f)(x)
    h = torch.func.hessian(g)(y)
    return j.sum((0, 1)) + h.sum((0, 1))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
