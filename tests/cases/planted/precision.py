# touchstone: 1
# expect: torch:planted_backends:precision Differs/precision/call 0 output 0
# expect: torch:planted_backends:honest Agreed
import torch


def inputs(seed, kind):
    x = data((6, 4), torch.float32, (seed, 0), kind)
    return (x * 0.1,), ()


def program(x):
    return (x.to(torch.float16) + 0.5) * 1.5


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
