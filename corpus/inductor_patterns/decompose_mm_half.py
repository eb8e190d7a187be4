# touchstone: 1
# torch: 2.13.0
# note: small products in half and of integers
# inductor: decompose_mm_pass
# fires: decompose_mem_bound_mm/decompose_mm
import torch


def inputs(seed, kind):
    x = data((1, 5), torch.float16, (seed, 0), kind)
    y = data((5, 6), torch.float16, (seed, 1), kind)
    i = data((1, 5), torch.int8, (seed, 2), kind)
    j = data((5, 6), torch.int8, (seed, 3), kind)
    return (x, y, i, j), ()


def program(x, y, i, j):
    return x @ y, i @ j


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
