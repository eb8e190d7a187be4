# touchstone: 1
# torch: 2.13.0
# expect: fault:double_saved_in_single Differs/gradient_values
import torch


def inputs(seed, kind):
    x = (data((3, 4), torch.float64, (seed, 0), kind) / 3).requires_grad_()
    y = (data((3, 4), torch.float64, (seed, 1), kind) / 7).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", backward=[0]),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0]),
]
