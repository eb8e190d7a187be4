# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(p, m, a):
    return torch.func.functional_call(m, p, a)


def program(x, w, b):
    m = torch.nn.Linear(3, 2)
    p = {"weight": torch.ones(4, 2, 3) * w, "bias": torch.zeros(4, 2)}
    return torch.vmap(f, in_dims=(0, None, None))(p, m, x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
