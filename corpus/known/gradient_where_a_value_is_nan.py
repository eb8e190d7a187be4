# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of relu asks whether the result is above 0, which NaN is not; eager asks whether it is at most 0, and lets the gradient pass.
# note: in plain Python: script `return x.relu() + 1`, `f(x).sum().backward()` from the second run on with x = NaN: 0, eager 1.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (b0,), ()


def program(x0):
    y3 = x0.relu()
    y4 = y3 + 1
    return y4


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
    dict(inputs="inputs", seed=2, kind="special", backward=[0]),
]
