# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of hardtanh counts the bounds as inside; eager does not.
# note: in plain Python: script `return torch.nn.functional.hardtanh(-x)`, `f(x).sum().backward()` from the second run on with x = 1: -1, eager 0.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w2 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (seed, w2), ()


def program(x0, x2):
    y2 = torch.add(x0, x2)
    y3 = torch.nn.functional.hardtanh(y2)
    return y3


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
