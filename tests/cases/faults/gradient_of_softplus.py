# touchstone: 1
# torch: 2.13.0
# expect: fault:activation_in_half Differs/values
# expect: fault:beta_of_softplus_dropped Differs/values
# expect: fault:softplus_gradient_of_default Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.softplus(x, 2.0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
