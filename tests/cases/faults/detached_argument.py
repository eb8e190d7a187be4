# touchstone: 1
# torch: 2.13.0
# expect: fault:detached_argument_stays_attached Differs/input_metadata
import torch


def inputs(seed, kind):
    a = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (a * 2,), (a,)


def program(x):
    y = x * 3
    x.detach_()
    return y, x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
