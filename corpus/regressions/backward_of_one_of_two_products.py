# touchstone: 1
# torch: 2.13.0
# note: the backward of one of two outputs, the operand of the other, is recorded after the cut
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def helper_1(y34):
    y37 = torch.baddbmm(y34, y34, y34.mT)
    return y37


def program(x0):
    y28 = x0 @ x0
    y38 = helper_1(y28)
    return y38, y28


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
