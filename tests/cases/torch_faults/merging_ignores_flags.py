# touchstone: 1
# expect: torch:fault:merging_ignores_flags Differs/shape/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = torch.cumsum(x, 0)
    return torch.amax(x, 0, True) + a, torch.amax(x, 0, False)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
