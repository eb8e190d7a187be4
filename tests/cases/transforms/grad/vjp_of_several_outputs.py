# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(a, c):
    return a * c, {"s": a.sin()}


def program(x, w, b):
    out, pullback = torch.func.vjp(f, w, b)
    cotangent = torch.ones(3), {"s": b}
    first = pullback(cotangent)
    again = pullback(cotangent, retain_graph=False)
    return out, first, again


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
