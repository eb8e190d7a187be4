# touchstone: 1
# torch: 2.13.0
# note: the gradient of sgn_ is zeros without memory: what is multiplied with them is such zeros again, also a NaN
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2, 2, 2, 2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y3 = torch.atan(x1)
    y3.sgn_()
    return y3


CALLS = [
    dict(inputs="inputs", kind="special", backward=[0]),
    dict(inputs="inputs", seed=3, kind="special", backward=[0]),
    dict(inputs="inputs", seed=4, kind="special", backward=[0]),
]
