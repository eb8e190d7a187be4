# touchstone: 1
# torch: 2.13.0
# note: splits and concatenations as aten sees them
# inductor: normalization_aten_pass
# fires: split_cat/normalize_cat_default_aten
# fires: split_cat/normalize_split_default_aten
# fires: split_cat/normalize_split_with_size_default_aten
import torch


def inputs(seed, kind):
    x = data((4, 6), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a, b, c = torch.split(x.sin(), 2, -1)
    d, e = torch.split(x.cos(), [2, 4], -1)
    return torch.cat([a, e], -1) * 2, b + d, c.sin(), torch.cat([a, b, c], -1).exp()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
