# touchstone: 1
# torch: 2.13.0
# note: the same with NaN and infinities, kept dimensions, the value written to before
# fires: post_grad/register_partial_reduction_pattern.reuse_partial
import torch


def inputs(seed, kind):
    x = data((8, 16, 40), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    return y.amax((0, 2), keepdim=True), y.max(), y


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="special", grad_mode="no_grad"),
]
