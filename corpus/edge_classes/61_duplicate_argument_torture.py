# touchstone: 1
# torch: 2.13.0
# note: the same tensor in three slots, data and metadata mutated through all of them
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, x, x), ()


def program(a, b, c):
    a.t_()
    b.mul_(2)
    c.unsqueeze_(0)
    a.add_(1)
    return a + b, c.mul(3)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
