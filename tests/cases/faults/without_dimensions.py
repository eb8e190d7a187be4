# touchstone: 1
# torch: 2.13.0
# expect: fault:argument_without_dimensions_refused InternalError/forward
import torch


def inputs(seed, kind):
    x = data((), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
