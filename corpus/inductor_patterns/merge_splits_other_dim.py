# touchstone: 1
# torch: 2.13.0
# note: a piece that is split along another dimension, and one that is used besides
# inductor: merge_splits_pass
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b = torch.split(x, [3, 9], dim=1)
    d, e = torch.split(b, [1, 3], dim=0)
    f, g = torch.split(a, [1, 2], dim=1)
    return a.sin(), b.cos(), d + 1, e + 1, f + 1, g + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
