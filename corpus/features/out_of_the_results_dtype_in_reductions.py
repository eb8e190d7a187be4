# touchstone: 1
# torch: 2.13.0
# note: std and var of complex numbers, logsumexp of integers: out has the dtype of the result, which is not the operand's.
import torch


def inputs(seed, kind):
    b1 = data((4, 3), torch.complex64, (seed, 1), kind)
    b2 = data((4,), torch.float32, (seed, 2), kind)
    b3 = data((4,), torch.float32, (seed, 3), kind)
    b4 = data((4, 3), torch.int64, (seed, 4), kind)
    b5 = data((4,), torch.float32, (seed, 5), kind)
    return (b1, b2, b3, b4, b5), ()


def program(x1, x2, x3, x4, x5):
    torch.std(x1, 1, out=x2)
    torch.var(x1, 1, out=x3)
    torch.logsumexp(x4, 1, out=x5)
    return x2 + x3, x5


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
COMPILE = dict(fullgraph=True)
