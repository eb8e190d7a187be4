# touchstone: 1
# expect: torch:fault:descending_is_dropped Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((5,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.sort(x, descending=True)[0]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
