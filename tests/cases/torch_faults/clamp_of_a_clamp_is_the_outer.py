# touchstone: 1
# expect: torch:fault:clamp_of_a_clamp_is_the_outer Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.clamp(torch.clamp(x, -0.5, 0.5), -1, 1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
