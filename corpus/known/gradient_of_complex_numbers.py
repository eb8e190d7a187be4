# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: from the second run on it differentiates by formulas of its own, and those for sin, tanh and others do not conjugate: the gradient of a complex input is wrong.
# note: in plain Python: script `return torch.sin(-x)`, `f(x).abs().sum().backward()` from the second run on with x in complex64.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 1), torch.complex64, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def program(x0):
    y0 = x0.neg()
    y2 = torch.sin(y0)
    return y2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
