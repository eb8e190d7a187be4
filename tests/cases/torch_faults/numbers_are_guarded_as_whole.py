# touchstone: 1
# expect: torch:fault:numbers_are_guarded_as_whole Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    n = 1.25
    return (x, n), ()


def inputs_2(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    n = 1.5
    return (x, n), ()


def program(x, n):
    return x * n


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
