# touchstone: 1
# torch: 2.13.0
# note: neighbouring pieces put together in pairs
# inductor: split_cat_pass
# fires: split_cat/simplify_split_cat#2
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a, b, c, d = torch.split(x, [3, 4, 3, 2], dim=1)
    return torch.cat([a, b], dim=1).sin(), torch.cat([c, d], dim=1).cos()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
