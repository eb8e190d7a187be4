# touchstone: 1
# expect: torch:fault:clamp_by_name_has_the_other_bound Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((5,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.clamp(max=0.5)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
