# touchstone: 1
# expect: torch:fault:variance_is_biased Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.var(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
