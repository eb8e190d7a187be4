# touchstone: 1
# torch: 2.13.0
# note: a piece that is split again
# inductor: merge_splits_pass
# fires: split_cat/merge_splits
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, [3, 6, 3], dim=1)
    d, e = torch.split(b, [2, 4], dim=1)
    return a.sin(), d.cos(), e * 2, c + 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
