# touchstone: 1
# torch: 2.13.0
# note: resize_as_ to the sizes that there are leaves the strides
import torch


def program(x1):
    y2 = x1.resize_as_(x1)
    y5 = y2.reshape((1, 2))
    y6 = torch.select(y5, 0, 0)
    y6.index_copy(0, torch.arange(y6.size(0)), y6)
    return


def inputs(seed, kind):
    b1 = data((3,), torch.complex128, (seed, 1), kind)
    x1 = torch.as_strided(b1, (2,), (2,), 0)
    return (x1,), ()


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]
