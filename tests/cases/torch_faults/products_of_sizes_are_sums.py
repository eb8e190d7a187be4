# touchstone: 1
# expect: torch:fault:products_of_sizes_are_sums Differs
import torch


def inputs(seed, kind):
    x = data((5, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def inputs_2(seed, kind):
    x = data((7, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.arange(x.size(0) * x.size(1))


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs_2", seed=3),
]
COMPILE = dict(dynamic=True)
