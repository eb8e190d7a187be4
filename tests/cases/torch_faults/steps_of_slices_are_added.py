# touchstone: 1
# expect: torch:fault:steps_of_slices_are_added Differs
import torch


def inputs(seed, kind):
    x = data((40,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[::3][::3] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
