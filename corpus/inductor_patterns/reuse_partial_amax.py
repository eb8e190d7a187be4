# touchstone: 1
# torch: 2.13.0
# note: amax of a part of the dimensions and of all
# fires: post_grad/register_partial_reduction_pattern.reuse_partial
import torch


def inputs(seed, kind):
    x = data((64, 80), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    y = x.sin()
    return y.amax(1, keepdim=True), y.amax()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
