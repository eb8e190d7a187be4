# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    z = data((3, 4), torch.float32, (seed, 2), kind).requires_grad_()
    u = data((3, 4), torch.float32, (seed, 3), kind).requires_grad_()
    v = data((3, 4), torch.float32, (seed, 4), kind).requires_grad_()
    return (x, y, z, u, v), ()


def program(x, y, z, u, v):
    return x * y + torch.sin(z) * u * v


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
