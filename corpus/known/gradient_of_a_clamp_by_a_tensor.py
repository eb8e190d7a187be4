# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of clamp gives none to a bound that is a tensor; eager does, where it is the result.
# note: in plain Python: script `return torch.clamp(x.abs(), max=x)`, `f(x).sum().backward()` from the second run on with x = -1: 0, eager 1.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2, 2, 1), torch.float32, (seed, 2), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y17 = x1.abs()
    y24 = torch.clamp(y17, max=x1)
    return y24


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
