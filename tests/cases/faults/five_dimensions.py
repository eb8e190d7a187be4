# touchstone: 1
# torch: 2.13.0
# expect: fault:five_dimensions_refused BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((1, 2, 1, 2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
