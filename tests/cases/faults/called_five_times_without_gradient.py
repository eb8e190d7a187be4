# touchstone: 1
# torch: 2.13.0
# expect: fault:fourth_call_repeats_third Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
    dict(inputs="inputs", seed=5),
    dict(inputs="inputs", seed=6),
]
