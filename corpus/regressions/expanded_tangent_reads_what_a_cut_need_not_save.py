# touchstone: 1
# torch: 2.13.0
# note: a backward recorded later, for an expanded tangent, reads what the one that was cut computes from other values.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = (1,)
    b1 = data((2, 2, 2), torch.float32, (seed, 1), kind)
    x4 = b1.requires_grad_()
    return (b0, x4), ()


def helper_0(y3, y5, y2, x4, y0):
    y6 = y3.addcdiv(y5, y2.abs(), value=0.5)
    return y6, x4


def program(x2, x4):
    with torch.no_grad():
        y2 = x4.abs()
    y3 = torch.nn.functional.softshrink(y2)
    y3.transpose(0, 1).add_(x4)
    y6, y8 = helper_0(y3, y3, y2, x4, x2)
    return (y6,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_layout="expanded"),
    dict(inputs="inputs", seed=2, backward=[0], tangent_layout="expanded"),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0], tangent_layout="expanded"),
]
