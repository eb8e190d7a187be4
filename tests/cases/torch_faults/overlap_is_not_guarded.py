# touchstone: 1
# expect: torch:fault:overlap_is_not_guarded Differs
import torch


def inputs(seed, kind):
    b = data((6,), torch.float32, (seed, 0), kind)
    x = b[:3]
    y = b[3:]
    return (x, y), ()


def inputs_2(seed, kind):
    b = data((6,), torch.float32, (seed, 0), kind)
    x = b[:3]
    y = b[1:4]
    return (x, y), ()


def program(x, y):
    x.add_(1)
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
