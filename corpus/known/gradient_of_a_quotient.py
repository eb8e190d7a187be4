# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of a quotient squares the divisor, which overflows or becomes 0.
# note: in plain Python: script `return x / x.abs()`, `f(x).sum().backward()` from the second run on with x = 3e38: 3e-39, eager 0.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 2, 2, 1), torch.float64, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def program(x1):
    y0 = x1 / x1.abs()
    return y0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
    dict(inputs="inputs", seed=2, kind="special", backward=[0]),
]
