# touchstone: 1
# expect: torch:fault:unused_draw_is_dead Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.rand(3)
    return x * torch.rand(4)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
