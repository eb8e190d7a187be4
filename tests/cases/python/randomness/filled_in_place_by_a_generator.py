# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    g = torch.Generator()
    g.manual_seed(4)
    a = torch.empty(3, 2).normal_(0.0, 2.0, generator=g)
    b = torch.zeros(3, 2).uniform_(generator=g)
    return x * a + b, a, b


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
