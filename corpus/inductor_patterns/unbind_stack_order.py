# touchstone: 1
# torch: 2.13.0
# note: what was unbound, stacked in another order and twice
# inductor: unbind_stack_pass
# fires: split_cat/normalize_stack_default
# fires: split_cat/normalize_unbind_default#2
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a, b, c = torch.unbind(x, dim=0)
    return torch.stack([b, a, c], dim=0), torch.stack([a, a, b, c], dim=1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
