# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formula for the gradient of threshold counts the threshold itself as above; eager does not.
# note: in plain Python: script `return torch.threshold(-x, -1., 0.25)`, `f(x).sum().backward()` from the second run on with x = 1: -1, eager 0.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = data((1,), torch.float32, (seed, 1), kind)
    return (b0, b1), ()


def program(x0, x1):
    y0 = torch.sub(x0, x1)
    y1 = torch.threshold(y0, 0.5, 0.25)
    return y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
