# touchstone: 1
# expect: torch:fault:gradient_of_the_last_argument_is_zero Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    z = data((4,), torch.float32, (seed, 2), kind).requires_grad_()
    w = data((4,), torch.float32, (seed, 3), kind).requires_grad_()
    return (x, y, z, w), ()


def program(x, y, z, w):
    return x * y + z * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
