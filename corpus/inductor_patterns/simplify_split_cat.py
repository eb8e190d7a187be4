# touchstone: 1
# torch: 2.13.0
# note: pieces put together along the dimension they were split along
# inductor: split_cat_pass
# fires: split_cat/simplify_split_cat#2
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, [3, 6, 3], dim=1)
    return torch.cat([a, b], dim=1).sin(), torch.cat([c, x], dim=1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
