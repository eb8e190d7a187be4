# touchstone: 1
# torch: 2.13.0
# expect: fault:last_write_first Differs/values
# expect: fault:read_sunk_below_write Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    x.add_(1)
    z = torch.sin(x)
    x.copy_(y)
    return z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
