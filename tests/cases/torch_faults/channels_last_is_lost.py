# touchstone: 1
# expect: torch:fault:channels_last_is_lost Differs
import torch


def inputs(seed, kind):
    b = data((1, 2, 2, 3), torch.float32, (seed, 0), kind)
    x = b.to(memory_format=torch.channels_last)
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
