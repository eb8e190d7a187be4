# touchstone: 1
# torch: 2.13.0
# note: an einsum that two others are added to
# inductor: einsum_to_pointwise_pass
# fires: split_cat/replace_einsum_to_pointwise
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).detach().requires_grad_()
    w = data((2, 3, 4, 5), torch.float32, (seed, 1), kind).detach().requires_grad_()
    y = data((2, 3, 5), torch.float32, (seed, 2), kind)
    return (x, w, y), ()


def program(x, w, y):
    return torch.einsum("abc,abcd->abd", x, w) + y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
