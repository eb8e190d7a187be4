# touchstone: 1
# torch: 2.13.0
# note: Inductor makes x + zeros into x: the result is the argument itself, and -0 stays -0. A bug: a write to the result reaches the argument.
# expect: torch:inductor Differs/partition
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x + torch.zeros(2, 3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
