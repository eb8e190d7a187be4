# touchstone: 1
# expect: torch:fault:select_of_a_stepped_slice_forgets_the_step Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[0:6:2][2] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
