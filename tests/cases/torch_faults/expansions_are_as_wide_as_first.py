# touchstone: 1
# expect: torch:fault:expansions_are_as_wide_as_first Differs
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.sum().unsqueeze(0).unsqueeze(0).expand(x.size(0), x.size(1)) + 1


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
