# touchstone: 1
# torch: 2.13.0
# expect: fault:elu_gradient_of_input Differs/gradient_values
# expect: fault:saved_after_write Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.elu(x)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
