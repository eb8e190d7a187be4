# touchstone: 1
# torch: 2.13.0
# note: a concatenation taken apart into what it was made of
# fires: post_grad/cat_splitwithsizes_replace
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((4, 5), torch.float32, (seed, 1), kind).detach().requires_grad_()
    return (x, y), ()


def program(x, y):
    a, b = torch.split(torch.cat([x, y], 1), [3, 5], 1)
    return a * 2, b.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
