# touchstone: 1
# torch: 2.13.0
# expect: fault:accumulation_doubles Differs/gradient_values
# expect: fault:accumulation_keeps_last Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    m = data((3, 3), torch.float32, (seed, 1), kind) > -9.0
    return (x, m), ()


def program(x, m):
    return x.masked_fill(m, 0.0) + torch.where(m, x, 2.0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
