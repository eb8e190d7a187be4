# touchstone: 1
# torch: 2.13.0
# note: the derivatives of full reductions and products choose their formula by values; equal elements and zeros decide
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    y = data((2, 3), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return x.max() * y.min(), (x * y).prod(), y.prod(1), torch.median(x + y)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1, 2, 3]),
    dict(inputs="inputs", seed=2, kind="uniform", backward=[0, 1]),
    dict(inputs="inputs", seed=3, kind="ones", backward=[0, 1, 2, 3]),
    dict(inputs="inputs", seed=4, kind="zeros", backward=[0, 1, 2, 3]),
]
