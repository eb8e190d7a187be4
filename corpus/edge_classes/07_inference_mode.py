# touchstone: 1
# torch: 2.13.0
# note: a graph compiled under no_grad and under inference mode
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.add(1)
    y.mul_(2)
    return y, y.t()


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
    dict(inputs="inputs", seed=3, grad_mode="inference"),
    dict(inputs="inputs", seed=4, grad_mode="inference"),
]
