# touchstone: 1
# expect: torch:fault:dtypes_are_not_guarded Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float64, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.zeros(3, dtype=x.dtype) + 1, x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
