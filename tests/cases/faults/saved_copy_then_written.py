# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, b), ()


def program(x, b):
    y = x * b.clone()
    b.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
