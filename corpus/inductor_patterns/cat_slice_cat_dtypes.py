# touchstone: 1
# torch: 2.13.0
# note: parts of two dtypes
# fires: post_grad/cat_slice_cat
import torch


def inputs(seed, kind):
    x = data((4, 5), torch.float16, (seed, 0), kind)
    y = data((4, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = torch.cat([x, y], 1)
    return torch.cat([a, a[:, :2]], 1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
