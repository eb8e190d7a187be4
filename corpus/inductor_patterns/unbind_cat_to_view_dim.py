# touchstone: 1
# torch: 2.13.0
# note: columns put together
# inductor: unbind_cat_to_view_pass
# fires: split_cat/normalize_unbind_default#2
# fires: split_cat/unbind_cat_to_view
import torch


def inputs(seed, kind):
    x = data((4, 12, 3), torch.float32, (seed, 0), kind)
    y = data((4, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = torch.unbind(x, dim=1)
    return torch.cat([y, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]], dim=1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
