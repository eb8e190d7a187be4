# touchstone: 1
# expect: torch:fault:permuted_sum_is_contiguous Differs
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.permute(2, 1, 0).sum(2)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
