# touchstone: 1
# expect: torch:planted_backends:values Differs/values/call 0 output 0
# expect: torch:planted_backends:honest Agreed
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sin(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
