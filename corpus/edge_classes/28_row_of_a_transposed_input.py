# touchstone: 1
# torch: 2.13.0
# note: data through a row of a transposed input
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    x.t_()
    x[0].mul_(2)
    return x.add(1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
