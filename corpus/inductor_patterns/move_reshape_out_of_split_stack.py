# touchstone: 1
# torch: 2.13.0
# note: twelve pieces, reshaped and stacked
# inductor: move_reshape_out_of_split_stack_pass
# fires: split_cat/move_reshape_out_of_split_stack
# fires: split_cat/normalize_split_default#2
# fires: split_cat/normalize_stack_default
import torch


def inputs(seed, kind):
    x = data((4, 24), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.split(x, 2, dim=1)
    return torch.stack([torch.reshape(a[0], (2, 4)), torch.reshape(a[1], (2, 4)), torch.reshape(a[2], (2, 4)), torch.reshape(a[3], (2, 4)), torch.reshape(a[4], (2, 4)), torch.reshape(a[5], (2, 4)), torch.reshape(a[6], (2, 4)), torch.reshape(a[7], (2, 4)), torch.reshape(a[8], (2, 4)), torch.reshape(a[9], (2, 4)), torch.reshape(a[10], (2, 4)), torch.reshape(a[11], (2, 4))], dim=0)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
