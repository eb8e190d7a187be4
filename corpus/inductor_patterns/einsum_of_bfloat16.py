# touchstone: 1
# torch: 2.13.0
# note: the same in bfloat16
# inductor: einsum_to_pointwise_pass
# fires: split_cat/replace_einsum_to_pointwise
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.bfloat16, (seed, 0), kind)
    w = data((2, 3, 4, 5), torch.bfloat16, (seed, 1), kind)
    y = data((2, 3, 5), torch.bfloat16, (seed, 2), kind)
    return (x, w, y), ()


def program(x, w, y):
    return torch.einsum("abc,abcd->abd", x, w) + y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
