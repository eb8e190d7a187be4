# touchstone: 1
# expect: torch:fault:doubles_are_saved_in_single Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float64, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.exp(x * 1.2345678)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
