# touchstone: 1
# torch: 2.13.0
# expect: fault:saved_scalar_of_first Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    a = data((), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, a, b), ()


def program(x, a, b):
    return x * a * b


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
