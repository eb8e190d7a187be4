# touchstone: 1
# expect: torch:fault:ellipsis_is_the_first_dimension Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[..., 1] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
