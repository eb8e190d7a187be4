# touchstone: 1
# expect: torch:fault:mean_is_over_all Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.mean(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
