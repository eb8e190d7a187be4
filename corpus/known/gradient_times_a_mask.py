# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formulas for where, clamp, relu and others multiply the gradient by 0 where eager leaves it out: of an infinite one NaN remains.
# note: in plain Python: script `return torch.where(x > 0, x, y).sqrt()`, `f(x, y).sum().backward()` from the second run on with x = y = -1: NaN, eager 0.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2,), torch.float64, (seed, 2), kind)
    w2 = data((1, 2), torch.float64, (seed, 2), kind).requires_grad_()
    return (b1, w2), ()


def helper_0(x2, x1):
    y3 = torch.where(x2 > 0, x2, x1)
    return x2, y3


def program(x1, x2):
    y0, y3 = helper_0(x2, x1)
    y9 = y3.sqrt()
    return y9


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
