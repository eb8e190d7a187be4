# touchstone: 1
# expect: torch:fault:expanded_result_is_dense Differs
import torch


def inputs(seed, kind):
    x = data((1,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return (x * 2).expand(3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
