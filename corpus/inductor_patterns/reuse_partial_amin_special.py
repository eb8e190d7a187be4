# touchstone: 1
# torch: 2.13.0
# note: the same with NaN and infinities, kept dimensions, the value written to before
# fires: post_grad/register_partial_reduction_pattern.reuse_partial#2
import torch


def inputs(seed, kind):
    x = data((8, 16, 40), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    return y.amin((0, 2), keepdim=True), y.min(), y


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="special", grad_mode="no_grad"),
]
