# touchstone: 1
# torch: 2.13.0
# expect: fault:memory_reused_while_returned Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    return y, y * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
