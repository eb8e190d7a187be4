# touchstone: 1
# torch: 2.13.0
# expect: fault:gradient_of_permutation_permuted BackendRejected/backward
# expect: fault:three_dimensions_contiguous Differs/strides
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.sin(x.permute(1, 2, 0))


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
