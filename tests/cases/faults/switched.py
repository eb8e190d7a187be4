# touchstone: 1
# torch: 2.13.0
# expect: fault:switch_of_requires_grad_forgotten Differs/input_metadata
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.requires_grad_()
    return x * 3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
