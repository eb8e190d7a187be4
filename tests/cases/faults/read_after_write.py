# touchstone: 1
# torch: 2.13.0
# expect: fault:read_hoisted_above_write Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.add_(1)
    y = torch.sin(x)
    x.mul_(2)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
