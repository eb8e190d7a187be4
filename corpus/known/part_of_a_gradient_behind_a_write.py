# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a result that is a view of another value inside is cut off from the gradient when it is written to through a detached alias; another result brings the rest of the gradient.
# note: in plain Python: script `y = (x * x).unsqueeze(1); y.detach().add_(1); return y, x * x * x`, `sum(map(torch.sum, f(x))).backward()` from the second run on: x.grad is 3 * x * x, eager's 3 * x * x + 2 * x.
# expect: ts Differs/gradient_values/call 1 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x1,), ()


def program(x1):
    y0 = x1 * x1
    y1 = y0.unsqueeze(1)
    y1.detach().add_(1)
    y2 = x1 * x1 * x1
    return y1, y2


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
