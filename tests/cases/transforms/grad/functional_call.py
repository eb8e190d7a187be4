# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(p, m, a):
    return torch.func.functional_call(m, p, (a,)).sum()


def program(x, w, b):
    m = torch.nn.Linear(3, 3)
    plain = torch.func.functional_call(m, {"weight": torch.ones(3, 3)}, x)
    g = torch.func.grad(f)({"weight": torch.ones(3, 3), "bias": b}, m, x)
    several = torch.func.functional_call(m, ({"bias": w}, {"weight": torch.ones(3, 3)}), x)
    return several, plain, g, m.bias is w


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
