# touchstone: 1
# torch: 2.13.0
# expect: fault:memory_reused_before_last_read Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    z = torch.cos(y)
    return z, torch.exp(y)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
