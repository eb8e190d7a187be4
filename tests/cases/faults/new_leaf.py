# touchstone: 1
# torch: 2.13.0
# expect: fault:leaf_without_grad Differs/requires_grad
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = (x * 2).detach().requires_grad_()
    return y, y * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
]
