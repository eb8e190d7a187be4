# touchstone: 1
# torch: 2.13.0
# note: pieces of size one, squeezed
# inductor: split_cat_pass
# fires: split_cat/merge_split_squeeze
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, [1, 1, 1], dim=1)
    return torch.squeeze(a, dim=1) + torch.squeeze(b, dim=1), torch.squeeze(c, dim=1).sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
