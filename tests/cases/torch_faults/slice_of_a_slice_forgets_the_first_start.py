# touchstone: 1
# expect: torch:fault:slice_of_a_slice_forgets_the_first_start Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[2:6][1:3] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
