# touchstone: 1
# torch: 2.13.0
# expect: fault:writes_exchanged Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    x.add_(y)
    x.mul_(y)
    return x * 1.5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
