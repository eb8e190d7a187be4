# touchstone: 1
# expect: torch:fault:constants_are_hoisted Agreed
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    z = torch.zeros(4)
    z.add_(y)
    return z, torch.arange(4)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
