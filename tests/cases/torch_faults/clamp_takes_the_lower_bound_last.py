# touchstone: 1
# expect: torch:fault:clamp_takes_the_lower_bound_last Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.clamp(x, 1, 0.5)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
