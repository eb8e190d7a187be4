# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    total = x
    for part in [y, 2, 1.5, (x, y), None]:
        if isinstance(part, torch.Tensor):
            total = total + part
        elif isinstance(part, (int, float)):
            total = total * part
        elif isinstance(part, tuple):
            total = total - part[1]
    return total


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
