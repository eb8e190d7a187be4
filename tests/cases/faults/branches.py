# touchstone: 1
# torch: 2.13.0
# expect: fault:second_branch_has_no_gradient Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.where(x > 0, x * 2, y * 3)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
