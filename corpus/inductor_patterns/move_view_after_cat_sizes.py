# touchstone: 1
# torch: 2.13.0
# note: pieces of two sizes
# inductor: move_view_after_cat_aten_pass
# fires: split_cat/normalize_cat_default_aten
# fires: split_cat/normalize_split_with_size_default_aten
import torch


def inputs(seed, kind):
    x = data((4, 6), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b = torch.split(x.sin(), [2, 4], 1)
    return torch.cat([a.reshape(4, 2), b.reshape(8, 2)], 0) + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
