# touchstone: 1
# expect: torch:fault:negative_padding_is_none Differs
import torch


def inputs(seed, kind):
    x = data((5,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.constant_pad_nd(x, [-1, 2])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
