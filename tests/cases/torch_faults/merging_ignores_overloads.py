# touchstone: 1
# expect: torch:fault:merging_ignores_overloads Differs/dtype/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    i = torch.sum(x)
    return i, torch.sum(x, dtype=torch.float64)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
