# touchstone: 1
# torch: 2.13.0
# note: small products of booleans? of int32, and of no elements
# inductor: decompose_mm_pass
# fires: decompose_mem_bound_mm/decompose_mm
import torch


def inputs(seed, kind):
    i = data((1, 5), torch.int32, (seed, 0), kind)
    j = data((5, 6), torch.int32, (seed, 1), kind)
    x = data((1, 0), torch.float32, (seed, 2), kind)
    y = data((0, 6), torch.float32, (seed, 3), kind)
    return (i, j, x, y), ()


def program(i, j, x, y):
    return i @ j, x @ y


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
