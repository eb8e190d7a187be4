# touchstone: 1
# torch: 2.13.0
# note: a difference of TorchScript: its own formula for the gradient of pow multiplies the gradient by the exponent first and then by the power; eager multiplies these two first, and where that overflows and the gradient is 0, eager gives NaN.
# note: in plain Python: script `return x.pow(2) * 0.0`, `f(x).sum().backward()` from the second run on with x = 3e38: 0, eager NaN.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1, 2), torch.float64, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    return torch.nn.functional.lp_pool1d(x1.abs(), 2, 1)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
    dict(inputs="inputs", seed=2, kind="special", backward=[0]),
]
