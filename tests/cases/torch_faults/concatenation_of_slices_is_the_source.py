# touchstone: 1
# expect: torch:fault:concatenation_of_slices_is_the_source Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.cat([x[3:], x[:3]])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
