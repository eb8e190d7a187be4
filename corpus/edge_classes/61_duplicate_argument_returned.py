# touchstone: 1
# torch: 2.13.0
# note: the same tensor in two slots, mutated, and returned through both
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    x.mul_(2)
    return y, x, y.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
