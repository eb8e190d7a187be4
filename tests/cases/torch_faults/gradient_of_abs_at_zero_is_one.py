# touchstone: 1
# expect: torch:fault:gradient_of_abs_at_zero_is_one Differs
import torch


def inputs(seed, kind):
    x = data((9,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.abs(x)


CALLS = [
    dict(inputs="inputs", seed=1, kind="zeros", backward=[0]),
    dict(inputs="inputs", seed=2, kind="zeros", backward=[0]),
]
