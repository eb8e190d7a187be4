# touchstone: 1
# torch: 2.13.0
# note: a trait of TorchScript: its own formula for the gradient of var multiplies the gradient by the deviation and then by 2; eager multiplies by 2 first, and that overflows.
# note: in plain Python: script `return torch.var(x * 1, 0) * 1.5e308`, `f(x).sum().backward()` from the second run on with x small, in float64, of sizes 2, 2: a number, eager infinite.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float64, (seed, 0), kind).div(1024).requires_grad_()
    return (x,), ()


def program(x):
    return torch.var(x * 1, 0) * 1.5e+308


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=5),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=5),
]
