# touchstone: 1
# torch: 2.13.0
# expect: fault:slices_along_one_dimension BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((5, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[2:] * 2, x[3] * 3, x[1:3, 2:] * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2]),
    dict(inputs="inputs", seed=2, backward=[0, 1, 2]),
]
