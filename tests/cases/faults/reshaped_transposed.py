# touchstone: 1
# torch: 2.13.0
# expect: fault:view_of_transposed_refused InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.t().reshape(12) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
