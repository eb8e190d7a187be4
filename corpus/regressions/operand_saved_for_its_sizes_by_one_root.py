# touchstone: 1
# torch: 2.13.0
# note: the backward of one root reads the operand, that of the other looks at its version alone.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def program(x0):
    y0 = x0[:]
    y3 = x0.index_copy(0, torch.arange(3), y0)
    y4 = torch.threshold(y0, 0.5, 0.25)
    return y4, y3


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0, 1]),
    dict(inputs="inputs", seed=4, backward=[1]),
]
