# touchstone: 1
# expect: torch:fault:merging_ignores_types_of_numbers Differs/dtype/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.int64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 2, x * 2.0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
