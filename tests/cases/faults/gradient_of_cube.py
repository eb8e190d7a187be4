# touchstone: 1
# torch: 2.13.0
# expect: fault:power_gradient_with_wrong_exponent Differs/gradient_values
# expect: fault:square_for_each_power Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x ** 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
