# touchstone: 1
# torch: 2.13.0
# note: the sum of two products
# fires: post_grad/mm_plus_mm
import torch


def inputs(seed, kind):
    a = data((4, 5), torch.float32, (seed, 0), kind)
    b = data((5, 6), torch.float32, (seed, 1), kind)
    c = data((4, 3), torch.float32, (seed, 2), kind)
    d = data((3, 6), torch.float32, (seed, 3), kind)
    return (a, b, c, d), ()


def program(a, b, c, d):
    return a @ b + c @ d


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
COMPILE = dict(options={"max_autotune_gemm": True})
