# touchstone: 1
# torch: 2.13.0
# note: std, var and logsumexp with an out of another dtype than their result add up in that dtype.
import torch


def inputs(seed, kind):
    b1 = data((4, 3), torch.float32, (seed, 1), kind)
    b2 = data((4,), torch.float64, (seed, 2), kind)
    b3 = data((4,), torch.float64, (seed, 3), kind)
    b4 = data((4,), torch.float64, (seed, 4), kind)
    return (b1, b2, b3, b4), ()


def program(x1, x2, x3, x4):
    torch.std(x1, 1, out=x2)
    torch.var(x1, 1, out=x3)
    torch.logsumexp(x1, 1, out=x4)
    return x2 + x3, x4


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
