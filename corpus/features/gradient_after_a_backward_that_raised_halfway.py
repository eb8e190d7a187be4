# touchstone: 1
# torch: 2.13.0
# note: the second backward reaches x1, and raises behind x6, whose history the first one has freed; what came to x1 by then is nobody's
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x1 = data((), torch.float32, (seed, 1), kind).requires_grad_()
    x3 = torch.ones((1,)).requires_grad_()
    x6 = torch.ones((1,))
    return (x1, x3, x6), ()


def program(x1, x3, x6):
    x6.addmv_(torch.outer(x3, x3), x3)
    return x1 + x6


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs=None, backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
