# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(a, b):
    return (a * b.exp()).sum()


def program(x, w, b):
    first = torch.func.grad(f, argnums=1)(w, b)
    both = torch.func.grad(f, argnums=(1, 0))(w, b)
    last = torch.func.grad(f, argnums=-1)(w, b)
    one = torch.func.grad(f, (0,))(w, b)
    return first, both, last, one


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
