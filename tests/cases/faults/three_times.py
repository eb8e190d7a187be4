# touchstone: 1
# torch: 2.13.0
# expect: fault:loop_unrolled_twice Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x = torch.sin(x)
    x = torch.sin(x)
    x = torch.sin(x)
    return x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
