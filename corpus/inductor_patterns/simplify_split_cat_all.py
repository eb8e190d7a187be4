# touchstone: 1
# torch: 2.13.0
# note: all pieces put together with another, by keyword
# inductor: split_cat_pass
# fires: split_cat/simplify_split_cat#2
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind)
    y = data((4, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a, b, c = torch.split(x, [3, 6, 3], dim=1)
    return torch.cat([a, b, c, y], dim=1), x + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
