# touchstone: 1
# torch: 2.13.0
# expect: fault:inverse_function_written_behind OutOfBounds
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.atan(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
