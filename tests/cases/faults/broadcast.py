# touchstone: 1
# torch: 2.13.0
# expect: fault:broadcast_sum_averages Differs/gradient_values
# expect: fault:broadcast_sum_over_first Differs/gradient_values
# expect: fault:broadcast_sum_takes_first Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((1, 4), torch.float32, (seed, 1), kind).requires_grad_()
    z = data((1, 1), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, y, z), ()


def program(x, y, z):
    return x * y * z, x - y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
