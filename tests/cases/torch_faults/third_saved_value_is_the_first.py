# touchstone: 1
# expect: torch:fault:third_saved_value_is_the_first Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    z = data((4,), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, y, z), ()


def program(x, y, z):
    return x * y * z


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
