# touchstone: 1
# torch: 2.13.0
# note: what was unbound, stacked and written to
# inductor: unbind_stack_pass
# fires: split_cat/merge_unbind_stack#2
# fires: split_cat/normalize_stack_default
# fires: split_cat/normalize_unbind_default#2
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.stack(torch.unbind(x, dim=0), dim=0)
    y.add_(1)
    return y, x * 2


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
