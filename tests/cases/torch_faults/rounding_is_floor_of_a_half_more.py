# touchstone: 1
# expect: torch:fault:rounding_is_floor_of_a_half_more Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((16,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.round(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
