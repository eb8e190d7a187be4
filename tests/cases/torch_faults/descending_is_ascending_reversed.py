# touchstone: 1
# expect: torch:fault:descending_is_ascending_reversed Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sort(x * 0, stable=True, descending=True)[1]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
