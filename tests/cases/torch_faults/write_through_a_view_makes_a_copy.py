# touchstone: 1
# expect: torch:fault:write_through_a_view_makes_a_copy Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 1
    v = y.view(2, 2)
    v.add_(1)
    return y * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
