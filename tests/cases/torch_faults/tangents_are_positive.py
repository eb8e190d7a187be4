# touchstone: 1
# expect: torch:fault:tangents_are_positive Differs
import torch


def inputs(seed, kind):
    x = data((1, 2, 2, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
