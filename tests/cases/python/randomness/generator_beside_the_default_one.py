# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    g = torch.Generator()
    g.manual_seed(seed)
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (g, x), ()


def program(g, x):
    a = torch.rand(3, 2)
    b = torch.rand(3, 2, generator=g)
    return x * a + b + torch.rand(3, 2)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
