# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.sin(x * 0.7) * torch.cos(y * 0.3)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", backward=[0]),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0]),
]
