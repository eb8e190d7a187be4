# touchstone: 1
# expect: torch:fault:quotients_of_sizes_are_rounded_up Differs
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[:x.size(0) // 2]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
