# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of tanh does not conjugate: the gradient of a complex input is wrong from the second run on.
# note: in plain Python: script `return 1.75 - torch.tanh(x)`, `f(x).abs().sum().backward()` from the second run on with x in complex64.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.complex64, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y4 = torch.tanh(x1)
    y6 = 1.75 - y4
    return y6


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
