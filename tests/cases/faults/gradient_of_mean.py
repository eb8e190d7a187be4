# touchstone: 1
# torch: 2.13.0
# expect: fault:mean_gradient_is_sums Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.mean()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
