# touchstone: 1
# expect: torch:planted_backends:partition Differs/partition/call 0 output 1
# expect: torch:planted_backends:honest Agreed
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    return y, y.view(6)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
