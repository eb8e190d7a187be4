# touchstone: 1
# expect: torch:fault:expansion_of_an_expansion_keeps_the_first Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.unsqueeze(0).expand(3, 3) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
