# touchstone: 1
# torch: 2.13.0
# note: the same over integers
# fires: post_grad/addmm
# fires: post_grad/addmm#2
import torch


def inputs(seed, kind):
    x = data((4, 5), torch.int64, (seed, 0), kind)
    y = data((5, 6), torch.int64, (seed, 1), kind)
    b = data((6,), torch.int64, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    return x @ y + b, b + y.t() @ x.t() if False else b + x @ y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
