# touchstone: 1
# expect: torch:fault:draws_are_merged Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.rand_like(x), torch.rand_like(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
