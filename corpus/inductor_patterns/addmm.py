# touchstone: 1
# torch: 2.13.0
# note: a product and a bias, in both orders
# fires: post_grad/addmm
# fires: post_grad/addmm#2
import torch


def inputs(seed, kind):
    x = data((4, 5), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((5, 6), torch.float32, (seed, 1), kind).detach().requires_grad_()
    b = data((6,), torch.float32, (seed, 2), kind).detach().requires_grad_()
    return (x, y, b), ()


def program(x, y, b):
    return x @ y + b, b + (x @ y).sin(), b + x @ y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 2]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
