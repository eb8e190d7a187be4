# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of hardsigmoid divides by 6; eager's kernel multiplies by a sixth that was rounded to float, and is the one that is off, by 6e-9, in double precision.
# note: in plain Python: script `return torch.nn.functional.hardsigmoid(x) + x`, `f(x).sum().backward()` from the second run on with x in double precision: 1.1666666666666667, eager 1.1666666716337204.
# expect: torch:aot_eager_decomp_partition Differs/gradient_values/call 1 leaf 0
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1,), torch.float64, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def helper_1(y6, y4):
    y8 = y6 + y4
    return y8


def program(x2):
    if 0:
        pass
    else:
        y6 = torch.nn.functional.hardsigmoid(x2)
    y8 = helper_1(y6, x2)
    return y8


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
