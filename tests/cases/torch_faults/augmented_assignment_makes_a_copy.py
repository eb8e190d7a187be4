# touchstone: 1
# expect: torch:fault:augmented_assignment_makes_a_copy Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 1
    z = y
    y += 1
    return z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
