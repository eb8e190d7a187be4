# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    parts = [x * i for i in range(5)]
    parts[1:3] = [y]
    return parts[::-1], list(reversed(parts[:2])), parts[-1:]


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
