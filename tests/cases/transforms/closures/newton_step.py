# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def program(x, w, b):
    def loss(a):
        return ((a - b) ** 2).sum() + (a ** 4).sum()
    h = torch.func.hessian(loss)(w.detach())
    g = torch.func.grad(loss)(w.detach())
    return torch.linalg.solve(h + torch.eye(3), g)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
