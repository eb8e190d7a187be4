# touchstone: 1
# torch: 2.13.0
# note: which zero is smaller (pytorch/pytorch#194347)
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    a = data((5,), torch.float32, (seed, 0), kind)
    return (a * -0.0, a * 0.0), ()


def program(a, b):
    return torch.minimum(a, b), torch.minimum(b, a), torch.maximum(a, b)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
