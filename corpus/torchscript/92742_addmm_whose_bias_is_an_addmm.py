# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#92742: two addmm in a row; the result of the first is the bias of the second
import torch


def inputs(seed, kind):
    x = data((1, 8), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    b = torch.ones(4)
    v = torch.full((8, 4), 0.5)
    w = torch.full((8, 4), 0.25)
    y = torch.addmm(b, x, v)
    return (torch.addmm(y, x, w),)


CALLS = [
    dict(inputs="inputs", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
]
