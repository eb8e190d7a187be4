# touchstone: 1
# expect: torch:fault:gradient_of_a_narrow_cast_stays_wide Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.to(torch.float64) * 1.2345678


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
