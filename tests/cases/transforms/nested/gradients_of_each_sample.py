# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(p, a, c):
    return torch.nn.functional.mse_loss(torch.nn.functional.linear(a, p["weight"], p["bias"]), c)


def program(x, w, b):
    p = {"weight": torch.ones(2, 3), "bias": w[:2]}
    return torch.vmap(torch.func.grad(f), in_dims=(None, 0, None))(p, x, torch.ones(2))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
