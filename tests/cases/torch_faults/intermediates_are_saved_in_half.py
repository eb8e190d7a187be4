# touchstone: 1
# expect: torch:fault:intermediates_are_saved_in_half Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = torch.exp(x * 1.2345678)
    return y * 10000


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
