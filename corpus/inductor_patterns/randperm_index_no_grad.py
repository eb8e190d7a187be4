# touchstone: 1
# torch: 2.13.0
# note: rows of a permutation of an argument without gradients, the index used again
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind)
    y = data((6,), torch.int64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    i = torch.randperm(6)[:3]
    return x[i], i, y[i] + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
