# touchstone: 1
# expect: torch:fault:value_of_padding_is_zero Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.constant_pad_nd(x, [1, 1], 2.5)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
