# touchstone: 1
# torch: 2.13.0
# note: cumsum of ones, written to
# fires: post_grad/pointless_cumsum_replacement
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.ones(3, 4)
    z = torch.cumsum(y, 1)
    z[0] = 7
    z.add_(x)
    return z, y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
