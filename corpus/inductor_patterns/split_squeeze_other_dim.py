# touchstone: 1
# torch: 2.13.0
# note: pieces of size one squeezed along another dimension of size one
# inductor: split_cat_pass
# fires: split_cat/normalize_split_default#2
import torch


def inputs(seed, kind):
    x = data((1, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, 1, 1)
    return torch.squeeze(a, 0) + 1, torch.squeeze(b, 0) + 2, torch.squeeze(c, 0) + 3


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
