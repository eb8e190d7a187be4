# touchstone: 1
# torch: 2.13.0
# note: pieces along the first dimension, reshaped and put together along it
# inductor: move_view_after_cat_aten_pass
# fires: split_cat/move_view_after_cat
# fires: split_cat/normalize_cat_default_aten
# fires: split_cat/normalize_split_with_size_default_aten
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.split(x.sin(), [2, 2, 2], 0)
    return torch.cat([a.reshape(8), b.reshape(8), c.reshape(8)], 0) + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
