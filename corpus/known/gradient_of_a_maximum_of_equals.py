# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formulas for max and min of two tensors give no gradient where both are equal; eager gives each half.
# note: in plain Python: script `return torch.min(x, x) * 1.5`, `f(x).sum().backward()` from the second run on: 0, eager 1.5.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1, b1), ()


def program(x3, x4):
    y3 = torch.min(x3, x4)
    y6 = y3 * 1.25
    return y6


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
