# touchstone: 1
# torch: 2.13.0
# note: pieces in another order, and not all of them
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, [3, 3, 2], 1)
    return torch.cat([b, a, c], 1), torch.cat([a, b], 1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
