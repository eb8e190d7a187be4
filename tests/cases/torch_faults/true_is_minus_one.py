# touchstone: 1
# expect: torch:fault:true_is_minus_one Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + True


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
