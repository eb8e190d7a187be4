# touchstone: 1
# expect: torch:fault:where_of_where_keeps_the_inner Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    c = data((8,), torch.bool, (seed, 0), kind)
    d = data((8,), torch.bool, (seed, 1), kind)
    x = data((8,), torch.float32, (seed, 2), kind)
    y = data((8,), torch.float32, (seed, 3), kind)
    z = data((8,), torch.float32, (seed, 4), kind)
    return (c, d, x, y, z), ()


def program(c, d, x, y, z):
    return torch.where(c, torch.where(d, x, y), z)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
