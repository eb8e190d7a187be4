# touchstone: 1
# torch: 2.13.0
# expect: fault:tail_of_gradient_unwritten ReadsUninitialized
# expect: fault:tangent_reused Differs/input_values
import torch


def inputs(seed, kind):
    a = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (a * 2,), (a,)


def program(x):
    x.retain_grad()
    return x * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
