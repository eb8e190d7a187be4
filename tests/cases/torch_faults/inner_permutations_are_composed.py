# touchstone: 1
# expect: torch:fault:inner_permutations_are_composed Agreed
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.permute(1, 2, 0).permute(2, 0, 1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
