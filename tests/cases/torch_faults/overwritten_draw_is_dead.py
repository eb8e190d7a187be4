# touchstone: 1
# expect: torch:fault:overwritten_draw_is_dead Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 1
    y.uniform_()
    y.fill_(2)
    return y * torch.rand(4)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
