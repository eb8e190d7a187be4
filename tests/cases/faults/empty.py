# touchstone: 1
# torch: 2.13.0
# expect: fault:argument_reused Differs/version
# expect: fault:empty_argument_refused InternalError/forward
import torch


def inputs(seed, kind):
    x = data((0, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
