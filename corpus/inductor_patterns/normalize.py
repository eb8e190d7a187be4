# touchstone: 1
# torch: 2.13.0
# note: split, unbind, cat, stack, squeeze, reshape, clamp, detach, as functions and as methods
# inductor: normalization_pass
# fires: split_cat/normalize_cat_default
# fires: split_cat/normalize_clamp_default
# fires: split_cat/normalize_clamp_default#2
# fires: split_cat/normalize_detach_default
# fires: split_cat/normalize_reshape_default
# fires: split_cat/normalize_split_default
# fires: split_cat/normalize_split_default#2
# fires: split_cat/normalize_squeeze_default
# fires: split_cat/normalize_stack_default
# fires: split_cat/normalize_unbind_default
# fires: split_cat/normalize_unbind_default#2
import torch


def inputs(seed, kind):
    x = data((4, 6), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((1, 4, 6), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a, b = torch.split(x, 3, dim=-1)
    c, d = x.split([2, 4], -1)
    e = torch.unbind(x, -2)
    f = x.unbind(1)
    g = torch.cat([a, b], dim=-1)
    h = torch.stack([a, b], dim=-1)
    i = y.squeeze(0)
    j = x.reshape(3, -1)
    k = x.clamp(-1, 1) + torch.clamp(x, min=-0.5)
    l = x.detach()
    return g * 2, h.sin(), i + 1, j.cos(), k, l * 3, e[0] + e[1], f[0] + f[1], c.sum(), d.sum()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 3, 4]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 3, 4]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
