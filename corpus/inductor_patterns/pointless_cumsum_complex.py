# touchstone: 1
# torch: 2.13.0
# note: cumsum of a complex constant
import torch


def inputs(seed, kind):
    x = data((3,), torch.complex64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.cumsum(torch.full((3,), 1.5, dtype=torch.complex64), 0) + x


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
