# touchstone: 1
# torch: 2.13.0
# note: the same where the beginning reaches into the second part, and the end is counted from behind
# fires: post_grad/cat_slice_cat
import torch


def inputs(seed, kind):
    x = data((4, 2), torch.float32, (seed, 0), kind)
    y = data((4, 6), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = torch.cat([x, y], 1)
    b = torch.cat([y, x], 1)
    return torch.cat([a, a[:, :5]], 1), torch.cat([b, b[:, :-3]], 1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
