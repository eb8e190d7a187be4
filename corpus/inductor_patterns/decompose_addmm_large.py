# touchstone: 1
# torch: 2.13.0
# note: a product of one row and a bias, of more columns than are taken apart elsewhere
# inductor: decompose_mm_pass
# fires: decompose_mem_bound_mm/decompose_addmm
import torch


def inputs(seed, kind):
    x = data((1, 40), torch.float32, (seed, 0), kind)
    y = data((40, 33), torch.float32, (seed, 1), kind)
    b = data((33,), torch.float32, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    return torch.addmm(b, x, y), torch.addmm(b, x, y, alpha=2), torch.addmm(b, x, y, beta=3)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
