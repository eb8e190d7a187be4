# touchstone: 1
# torch: 2.13.0
# expect: fault:argument_kept_from_first_call Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    a = data((1,), torch.float32, (seed, 1), kind)
    return (x, a), ()


def program(x, a):
    return x * a


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
