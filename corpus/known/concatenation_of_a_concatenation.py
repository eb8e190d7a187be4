# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a concatenation of a concatenation becomes one of the parts, although these were written to in between.
# note: in plain Python: script `y = torch.cat((x, x)); x.mul_(2); return torch.cat((x, y))`: `f(torch.ones(2))` ends in 2, 2, 2, 2, eager in 1, 1, 1, 1.
# expect: ts Differs/values/call 0 output 0
# expect: simple_ts_compile Differs/values/call 0 output 0
# expect: ts_compile Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    w0 = data((2,), torch.float64, (seed, 1), kind)
    return (w0,), ()


def helper_1(x0, y4):
    y5 = x0.mul_(2)
    return y5, y4, y4


def program(x0):
    y0 = torch.cat((x0, x0), dim=0)
    y5, y7, y8 = helper_1(x0, x0)
    y14 = torch.cat((y8, y0), dim=0)
    return y14


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
