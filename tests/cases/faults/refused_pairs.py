# touchstone: 1
# torch: 2.13.0
# expect: fault:flip_of_cumsum_refused BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.flip(torch.cumsum(x, 0), [0])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
