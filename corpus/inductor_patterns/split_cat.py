# touchstone: 1
# torch: 2.13.0
# note: pieces put together again, returned and written to
# fires: post_grad/splitwithsizes_cat_replace
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.cat(torch.split(x, [3, 5], 1), 1)
    z = torch.cat(torch.split(x * 2, [2, 6], 1), 1)
    return y, z


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
