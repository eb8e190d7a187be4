# touchstone: 1
# expect: torch:fault:shape_of_a_fold_is_forgotten Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.full((4,), 2.0)
    z = y + 3
    return z, x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
