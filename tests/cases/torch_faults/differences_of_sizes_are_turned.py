# touchstone: 1
# expect: torch:fault:differences_of_sizes_are_turned Differs
import torch


def inputs(seed, kind):
    x = data((3, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((4, 7), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    n = x.size(0) - x.size(1)
    return x + n


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
