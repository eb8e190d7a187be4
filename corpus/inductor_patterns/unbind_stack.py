# touchstone: 1
# torch: 2.13.0
# note: what was unbound, stacked
# inductor: unbind_stack_pass
# fires: split_cat/merge_unbind_stack#2
# fires: split_cat/normalize_stack_default
# fires: split_cat/normalize_unbind_default#2
import torch


def inputs(seed, kind):
    x = data((3, 4, 5), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    a = torch.unbind(x, dim=0)
    return torch.stack(a, dim=0).sin(), torch.stack(list(a), 1) * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
