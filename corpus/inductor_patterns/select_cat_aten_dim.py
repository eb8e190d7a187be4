# touchstone: 1
# torch: 2.13.0
# note: all columns selected and put together along the same dimension
# inductor: select_cat_aten_pass
# fires: split_cat/merge_select_cat_aten
# fires: split_cat/normalize_cat_default_aten
import torch


def inputs(seed, kind):
    x = data((4, 3, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.sin()
    return torch.cat([y.select(1, 0), y.select(1, 1), y.select(1, 2)], 1) + 1


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
