# touchstone: 1
# torch: 2.13.0
# expect: fault:diagonal_copies Differs/strides
# expect: fault:diagonal_gradient_to_main Differs/gradient_values
# expect: fault:diagonal_is_main_one Differs/values
# expect: fault:offset_in_argument_lost Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.diagonal(x, 1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
