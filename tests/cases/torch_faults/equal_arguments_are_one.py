# touchstone: 1
# expect: torch:fault:equal_arguments_are_one Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = x.clone()
    return (x, y), ()


def program(x, y):
    z = x * 2
    y.add_(1)
    return z * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
