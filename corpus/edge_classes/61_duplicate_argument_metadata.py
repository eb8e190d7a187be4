# touchstone: 1
# torch: 2.13.0
# note: the same tensor in two slots, metadata mutated through both
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    x.t_()
    y.unsqueeze_(0)
    return x + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
