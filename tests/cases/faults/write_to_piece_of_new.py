# touchstone: 1
# torch: 2.13.0
# expect: fault:alias_of_view_lost Differs/values
# expect: fault:unread_write_to_local_view_left_out Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    y[0].add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
