# touchstone: 1
# expect: torch:fault:gradient_of_an_index_overwrites Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    i = torch.tensor([1, 1, 0])
    return x[i] * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
