# touchstone: 1
# torch: 2.13.0
# note: pieces that are used besides, put together
# inductor: mutate_cat_pass
# fires: split_cat/mutate_cat_node
import torch


def inputs(seed, kind):
    x = data((4, 12), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.split(x, [3, 6, 3], dim=1)
    return torch.cat([a, b, c], dim=1).sin(), torch.cat([a, b], dim=1) + 1, a + 1, b * 2, c.cos()


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
