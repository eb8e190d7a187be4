# touchstone: 1
# torch: 2.13.0
# note: neighbouring pieces put together
# inductor: merge_getitem_cat_pass
# fires: split_cat/merge_getitem_cat
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c, d = torch.split(x, [3, 2, 4, 3], dim=1)
    return torch.cat([a, b], dim=1).sin(), torch.cat([c, d], dim=1) + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
