# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own derivative of softplus compares the result, and not the argument, with the threshold, so that where that is 0 the gradient is 1 everywhere.
# note: in plain Python: the third gradient of `torch.jit.script` of `return torch.nn.functional.softplus(x, 1.0, 0.0).abs()` at -3 is 1.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((5, 4), torch.float32, (seed, 587), kind).requires_grad_()
    return (w0,), ()


def program(x0):
    y0 = torch.nn.functional.softplus(x0, threshold=0)
    y1 = y0.abs()
    return y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
