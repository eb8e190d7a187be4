# touchstone: 1
# torch: 2.13.0
# note: the mean of nearly constant rows cancels in double precision as well
import torch


def inputs(seed, kind):
    b2 = data((10,), torch.float64, (seed, 1), kind)
    x4 = torch.as_strided(b2, (3, 3), (1, 3), 1)
    return (x4,), ()


def program(x4):
    torch.tanh(x4, out=x4)
    x4.add_(3)
    y13 = torch.nn.functional.layer_norm(x4, (3,))
    return y13


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
