# touchstone: 1
# torch: 2.13.0
# note: Inductor takes the rounded quotient away from the number where it works on vectors, the kernel uses fmod. A bug: the remainder of large numbers is wrong (pytorch/pytorch#198057).
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.full((16,), 10000000000.0)
    y = torch.full((16,), 3.0)
    return (x, y), ()


def program(x, y):
    return torch.remainder(x, y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
