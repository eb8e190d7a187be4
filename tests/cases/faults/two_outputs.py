# touchstone: 1
# torch: 2.13.0
# expect: fault:input_saved_for_product Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x * 2 * y, y * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
