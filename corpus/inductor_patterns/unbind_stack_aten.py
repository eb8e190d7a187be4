# touchstone: 1
# torch: 2.13.0
# note: columns selected and stacked again
# inductor: unbind_stack_aten_pass
# fires: split_cat/normalize_cat_default_aten
import torch


def inputs(seed, kind):
    x = data((3, 4, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.sin()
    a, b, c = torch.ops.aten.select(y, 0, 0), torch.ops.aten.select(y, 0, 1), torch.ops.aten.select(y, 0, 2)
    return torch.cat([torch.unsqueeze(a, 0), torch.unsqueeze(b, 0), torch.unsqueeze(c, 0)], 0)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
