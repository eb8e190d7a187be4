# touchstone: 1
# expect: torch:fault:two_transpositions_cancel Differs
import torch


def inputs(seed, kind):
    x = data((2, 2, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.transpose(0, 1).transpose(1, 2) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
