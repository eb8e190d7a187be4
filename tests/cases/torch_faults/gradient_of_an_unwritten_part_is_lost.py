# touchstone: 1
# expect: torch:fault:gradient_of_an_unwritten_part_is_lost Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[1:] * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
