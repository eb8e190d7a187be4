# touchstone: 1
# expect: torch:fault:tangent_is_as_the_first_row Differs
import torch


def inputs(seed, kind):
    x = data((2, 2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
