# touchstone: 1
# expect: torch:fault:buffer_is_reused_while_it_is_read Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    a = torch.sin(y)
    return a * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
