# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: it differentiates addmm by itself and hands out a result that is a leaf inside, so that a write to a view of it is refused.
# note: in plain Python: script `y = torch.addmm(x, x, x).t(); y += x; return y`, from the second run on.
# expect: ts BackendRejected/forward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    return (w0,), ()


def program(x3):
    y6 = torch.addmm(x3, x3, x3, beta=1, alpha=1)
    y10 = y6.t()
    y10 += x3
    return y10


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
