# touchstone: 1
# expect: torch:fault:scale_of_a_factor_goes_to_the_bias Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    y = data((2, 2), torch.float32, (seed, 1), kind)
    b = data((2,), torch.float32, (seed, 2), kind)
    return (x, y, b), ()


def program(x, y, b):
    return (torch.mm(x, y) + b) * 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
