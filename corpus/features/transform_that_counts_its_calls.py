# touchstone: 1
# torch: 2.13.0
# note: what is no tensor is changed or read under transforms: the graph breaks there
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    count = 0
    seen = []
    def f(a):
        nonlocal count
        count += 1
        seen.append(a.dim())
        return (a * count).sum()
    y = torch.vmap(f)(x * 2)
    g = torch.func.grad(f)(w)
    return g * 2, y + 1, count, seen


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
