# touchstone: 1
# torch: 2.13.0
# expect: fault:accumulation_keeps_first Differs/gradient_values
# expect: fault:gradient_of_select_to_start Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((5, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[3] * x[2]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
