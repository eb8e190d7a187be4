# touchstone: 1
# expect: torch:fault:new_dimension_goes_first Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[:, None] * x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
