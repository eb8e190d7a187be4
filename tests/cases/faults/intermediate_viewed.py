# touchstone: 1
# torch: 2.13.0
# expect: fault:memory_reused_while_viewed Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    v = y[0]
    z = y * 2
    return z, v * 3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
