# touchstone: 1
# torch: 2.13.0
# note: squeeze_ of one input, unsqueeze_ of another
import torch


def inputs(seed, kind):
    x = data((3, 1, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    x.squeeze_(1)
    y.unsqueeze_(1)
    return x.mul(2), y.mul(x.sum())


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
