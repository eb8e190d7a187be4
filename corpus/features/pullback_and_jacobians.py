# touchstone: 1
# torch: 2.13.0
# note: vjp and its function, jvp, and Jacobians both ways
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(a):
    return a.sin() * a.sum(), {"m": a.unsqueeze(0) * a}


def cubed(a):
    return (a ** 3).sum()


def program(x, w, b):
    out, pullback = torch.func.vjp(f, w)
    (g,) = pullback((b, {"m": b.unsqueeze(0) * x[:1]}))
    value, tangent = torch.func.jvp(cubed, (b,), (b,))
    return g, out, tangent, value, torch.func.jacrev(f)(w), torch.func.jacrev(torch.func.jacrev(cubed))(b)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
