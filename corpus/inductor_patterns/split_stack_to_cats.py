# touchstone: 1
# torch: 2.13.0
# note: twelve pieces stacked
# inductor: split_stack_to_cats_pass
# fires: split_cat/normalize_split_default#2
# fires: split_cat/normalize_stack_default
# fires: split_cat/split_stack_to_cats
import torch


def inputs(seed, kind):
    x = data((4, 24), torch.float32, (seed, 0), kind)
    y = data((4, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = torch.split(x, 2, dim=1)
    return torch.stack([a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], y], dim=0)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
