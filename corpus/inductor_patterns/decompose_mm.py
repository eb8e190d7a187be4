# touchstone: 1
# torch: 2.13.0
# note: small products
# inductor: decompose_mm_pass
# fires: decompose_mem_bound_mm/decompose_addmm
# fires: decompose_mem_bound_mm/decompose_bmm
# fires: decompose_mem_bound_mm/decompose_mm
# fires: post_grad/addmm
import torch


def inputs(seed, kind):
    x = data((1, 20), torch.float32, (seed, 0), kind).detach().requires_grad_()
    y = data((20, 6), torch.float32, (seed, 1), kind).detach().requires_grad_()
    b = data((6,), torch.float32, (seed, 2), kind).detach().requires_grad_()
    a = data((1, 3, 4), torch.float32, (seed, 3), kind).detach().requires_grad_()
    c = data((1, 4, 5), torch.float32, (seed, 4), kind).detach().requires_grad_()
    return (x, y, b, a, c), ()


def program(x, y, b, a, c):
    return x @ y, torch.addmm(b, x, y), torch.bmm(a, c)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=3, grad_mode="no_grad"),
    dict(inputs="inputs", seed=4, grad_mode="no_grad"),
]
