# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of a reciprocal multiplies by the result one time after the other, eager by its square: of an overflow and a zero NaN or 0 comes.
# note: in plain Python: script `return torch.reciprocal(x) * 0`, `f(x).sum().backward()` from the second run on with x = 1e-300 in float64: -0, eager NaN.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((2,), torch.float64, (seed, 2), kind).requires_grad_()
    return (b2,), ()


def program(x2):
    return 0 / x2


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
    dict(inputs="inputs", seed=2, kind="special", backward=[0]),
]
