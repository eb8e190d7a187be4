# touchstone: 1
# torch: 2.13.0
# expect: fault:index_saved_in_byte BackendRejected/backward
# expect: fault:tangents_swapped Differs/gradient_values
# expect: fault:zeros_of_gradient_unwritten ReadsUninitialized
import torch


def inputs(seed, kind):
    x = data((300,), torch.float32, (seed, 0), kind).requires_grad_()
    i = torch.tensor([200, 299])
    return (x, i), ()


def program(x, i):
    return torch.gather(x, 0, i), x[i] * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
