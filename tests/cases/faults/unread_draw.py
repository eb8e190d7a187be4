# touchstone: 1
# torch: 2.13.0
# expect: fault:unread_draw_left_out Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    torch.rand_like(x)
    return torch.rand_like(x) + x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
