# touchstone: 1
# expect: torch:fault:symbols_are_guarded_below_four_alone Differs
import torch


def inputs(seed, kind):
    x = data((5, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7, 5), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x - 1
    if x.size(0) == x.size(1):
        y = x + 1
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
