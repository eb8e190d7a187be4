# touchstone: 1
# torch: 2.13.0
# note: pieces stacked, and put together along another dimension
# inductor: split_cat_pass
# fires: split_cat/normalize_stack_default
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((4, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a, b, c = torch.split(x, [4, 4, 4], dim=1)
    return torch.stack([a, b, c], dim=0).sin(), torch.cat([a, b, c], dim=0) + 1, torch.cat([y, a, b], dim=1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
