# touchstone: 1
# expect: torch:fault:gradient_of_a_bound_is_zero Differs
import torch


def inputs(seed, kind):
    x = data((9,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.clamp(x, -1, 1)


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones", backward=[0]),
    dict(inputs="inputs", seed=2, kind="ones", backward=[0]),
]
