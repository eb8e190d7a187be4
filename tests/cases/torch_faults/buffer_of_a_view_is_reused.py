# touchstone: 1
# expect: torch:fault:buffer_of_a_view_is_reused Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    v = y[1:]
    z = torch.sin(y)
    return z, v * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
