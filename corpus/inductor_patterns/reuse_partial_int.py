# touchstone: 1
# torch: 2.13.0
# note: integers
# fires: post_grad/register_partial_reduction_pattern.reuse_partial
# fires: post_grad/register_partial_reduction_pattern.reuse_partial#2
import torch


def inputs(seed, kind):
    x = data((64, 80), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x + 1
    return y.amax(0, True), y.max(), y.amin(1, True), y.amin(), y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
