# touchstone: 1
# expect: torch:fault:last_element_is_not_saved Differs
import torch


def inputs(seed, kind):
    x = data((7,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((7,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
