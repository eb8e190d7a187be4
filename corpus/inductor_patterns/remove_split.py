# touchstone: 1
# torch: 2.13.0
# note: a split into one piece, as function and as method
# inductor: remove_split_with_size_one_pass
# fires: split_cat/normalize_split_default
# fires: split_cat/normalize_split_default#2
# fires: split_cat/remove_split_with_size_one#2
import torch


def inputs(seed, kind):
    x = data((4, 6), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a = torch.split(x, 6, 1)[0]
    b = x.split(8, 1)[0]
    return a.sin(), b.cos()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
