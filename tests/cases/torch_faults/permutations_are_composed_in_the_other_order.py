# touchstone: 1
# expect: torch:fault:permutations_are_composed_in_the_other_order Differs
import torch


def inputs(seed, kind):
    x = data((2, 2, 2, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.permute(1, 2, 0, 3).permute(0, 2, 1, 3) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
