# touchstone: 1
# torch: 2.13.0
# note: a part that is wider than what is done with it
# fires: post_grad/cat_splitwithsizes_replace
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.bfloat16, (seed, 0), kind)
    y = data((4, 5), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a, b = torch.split(torch.cat([x, y], 1), [3, 5], 1)
    return a * 1.1 + 0.1, b


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
