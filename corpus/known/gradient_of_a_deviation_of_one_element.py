# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of std divides by a deviation of 0; eager gives 0.
# note: in plain Python: script `return torch.std(x + 1, 1, correction=0)`, `f(x).sum().backward()` from the second run on with x of sizes 1, 1: NaN, eager 0.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w3 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w3,), ()


def program(x3):
    y10 = torch.std(x3 + 1, 1, correction=0)
    return y10


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
