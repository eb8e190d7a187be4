# touchstone: 1
# torch: 2.13.0
# note: a bias that is expanded, and transposed operands
# fires: post_grad/addmm
# fires: post_grad/addmm#2
import torch


def inputs(seed, kind):
    x = data((5, 4), torch.float32, (seed, 0), kind).transpose(0, 1)
    y = data((6, 5), torch.float32, (seed, 1), kind).transpose(0, 1)
    b = data((6,), torch.float32, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    return x @ y + b.expand(4, 6), b[:1] + x @ y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
