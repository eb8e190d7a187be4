# touchstone: 1
# torch: 2.13.0
# expect: fault:tangents_swapped Differs/gradient_values
# expect: fault:zeros_of_gradient_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((300,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[torch.tensor([200, 299])] * 2, torch.gather(x, 0, torch.tensor([250, 3]))


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
