# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    z = torch.cond(x.size(0) > 2, lambda a: a, lambda a: a * 2, (x,))
    return torch.cond(True, lambda a: a.t(), lambda a: a * 2, (z,)), torch.cond(0.0, lambda a: a, lambda a: (a * 2, None), (y,))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
