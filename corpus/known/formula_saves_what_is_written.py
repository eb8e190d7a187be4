# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: its own formulas save operands that eager's do not need, so a later write to one of them makes the backward raise.
# note: in plain Python: script `y = torch.cat((b, b), 1).clamp(min=0); a.fill_(1); return y`, called with one and the same `b = w * 1` for both, backward from the second run on.
# expect: ts BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.mul(1)
    return (b0, b0), (w0,)


def program(x0, x1):
    y0 = torch.cat((x1, x1), dim=1)
    y1 = y0.clamp(min=0)
    x0[:] = 1
    return (y1,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
