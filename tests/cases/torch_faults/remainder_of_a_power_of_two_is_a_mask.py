# touchstone: 1
# expect: torch:fault:remainder_of_a_power_of_two_is_a_mask Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.fmod(x, 4)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
