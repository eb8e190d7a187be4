# touchstone: 1
# torch: 2.13.0
# expect: fault:grad_mode_unguarded Differs/requires_grad
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2 + torch.sin(x)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
