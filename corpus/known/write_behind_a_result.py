# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a result that is a view of another value inside is cut off from the gradient when it is written to through a detached alias.
# note: in plain Python: script `y = (x - x).unsqueeze(1); y.detach().add_(1); return y`, `f(x).sum().backward()` from the second run on: x.grad is None, eager's 0.
# expect: ts Differs/gradient_presence/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b2 = data((1,), torch.float32, (seed, 1), kind)
    x3 = b2.requires_grad_()
    return (x3,), ()


def helper_0(y9):
    y12 = torch.unsqueeze(y9, 1)
    return y12


def program(x3):
    y9 = x3 - x3
    y12 = helper_0(y9)
    y12.detach().add_(1)
    return y12


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
