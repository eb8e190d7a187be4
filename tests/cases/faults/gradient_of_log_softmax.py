# touchstone: 1
# torch: 2.13.0
# expect: fault:log_softmax_gradient_without_sum Differs/gradient_values
# expect: fault:log_softmax_of_softmax Differs/values
# expect: fault:saved_in_half Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.log_softmax(x, 1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
