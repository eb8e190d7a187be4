# touchstone: 1
# torch: 2.13.0
# note: the bias is written to afterwards; one product is used twice
# fires: post_grad/addmm
import torch


def inputs(seed, kind):
    x = data((4, 5), torch.float32, (seed, 0), kind)
    y = data((5, 6), torch.float32, (seed, 1), kind)
    b = data((4, 6), torch.float32, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    z = x @ y
    w = z + b
    b.mul_(2)
    return w, b + x @ (y * 2), z


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
