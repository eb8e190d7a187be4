# touchstone: 1
# torch: 2.13.0
# expect: fault:cumulated_along_first Differs/values
# expect: fault:cumulative_gradient_not_reversed Differs/gradient_values
# expect: fault:flipped_along_first Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.cumsum(x, 1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
