# touchstone: 1
# torch: 2.13.0
# note: a product with alpha and beta
# inductor: decompose_mm_pass
import torch


def inputs(seed, kind):
    x = data((1, 5), torch.float32, (seed, 0), kind)
    y = data((5, 6), torch.float32, (seed, 1), kind)
    b = data((6,), torch.float32, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    return torch.addmm(b, x, y, beta=0, alpha=2), torch.addmm(b, x, y, beta=3)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
