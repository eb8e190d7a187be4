# touchstone: 1
# torch: 2.13.0
# note: a split into one piece that is taken twice
# inductor: remove_split_with_size_one_pass
# fires: split_cat/normalize_split_default#2
# fires: split_cat/remove_split_with_size_one#2
import torch


def inputs(seed, kind):
    x = data((4, 6), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.split(x, 6, 1)
    return a[0].sin(), a[0].cos(), a[0] + a[-1]


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
