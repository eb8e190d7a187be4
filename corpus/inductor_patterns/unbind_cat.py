# touchstone: 1
# torch: 2.13.0
# note: what was unbound, put together beside another
# inductor: unbind_stack_pass
# fires: split_cat/merge_unbind_stack#2
# fires: split_cat/normalize_cat_default
# fires: split_cat/normalize_stack_default
# fires: split_cat/normalize_unbind_default#2
import torch


def inputs(seed, kind):
    x = data((3, 4, 5), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((4, 5), torch.float32, (seed, 1), kind).detach().requires_grad_()
    return (x, y), ()


def program(x, y):
    a, b, c = torch.unbind(x, dim=0)
    return torch.cat([a, b, c], dim=1).sin(), torch.cat(tensors=[y, a, b, c], dim=0), torch.stack(tensors=[a, b, c, y], dim=1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
