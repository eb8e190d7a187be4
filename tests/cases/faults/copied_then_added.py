# touchstone: 1
# torch: 2.13.0
# expect: fault:whole_write_is_the_only_one Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    z = torch.sin(x)
    z.copy_(y)
    z.add_(1)
    return z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
