# touchstone: 1
# torch: 2.13.0
# expect: fault:read_of_base_hoisted_above_write_to_view Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    v = x[0]
    v.add_(1)
    return torch.sin(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
