# touchstone: 1
# expect: torch:fault:two_permutations_cancel Differs
import torch


def inputs(seed, kind):
    x = data((2, 2, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.permute(1, 2, 0).permute(1, 2, 0) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
