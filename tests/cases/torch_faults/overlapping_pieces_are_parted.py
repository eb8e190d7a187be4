# touchstone: 1
# expect: torch:fault:overlapping_pieces_are_parted Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    a = y[1:]
    b = y[:3]
    b.add_(1)
    return a * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
