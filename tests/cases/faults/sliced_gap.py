# touchstone: 1
# torch: 2.13.0
# expect: fault:gradient_of_view_to_start Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((5, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[1:3] * 2, x[0] * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
