# touchstone: 1
# torch: 2.13.0
# expect: fault:hook_registered_twice Differs/gradient_values
# expect: fault:hooks_forgotten Differs/gradient_values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def double(grad):
    return grad * 2


def triple(grad):
    return grad * 3


def program(x, y):
    x.register_hook(double)
    y.register_hook(triple)
    return torch.sin(x) * y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
