# touchstone: 1
# torch: 2.13.0
# note: the backward from one root alone is compiled for the sizes of its call
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    b3 = torch.ones(())
    return (b2, b3), ()


def program(x2, x3):
    y6 = torch.lerp(x2, x3, x3)
    return y6, torch.sub(y6, x2)


CALLS = [
    dict(inputs="inputs", backward=[1]),
    dict(inputs=None, backward=[0, 1]),
    dict(inputs="inputs", seed=1, backward=[1]),
]
COMPILE = dict(dynamic=True)
