# touchstone: 1
# expect: torch:fault:one_size_is_taken_for_another Differs
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.zeros(x.size(0)), torch.ones(x.size(1))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
