# touchstone: 1
# torch: 2.13.0
# expect: fault:transposed_product_gradient Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x @ y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
