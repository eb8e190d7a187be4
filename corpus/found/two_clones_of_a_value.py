# touchstone: 1
# torch: 2.13.0
# note: Inductor makes one tensor of two clones of a value. A bug: a write to one reaches the other.
# expect: torch:inductor Differs/partition
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x * 2
    return y.clone(), y.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
