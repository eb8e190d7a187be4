# touchstone: 1
# torch: 2.13.0
# expect: fault:complex_refused InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.complex64, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
