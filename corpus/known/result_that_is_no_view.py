# touchstone: 1
# torch: 2.13.0
# note: a defect of TorchScript: a result that is a view of another value inside is no view outside; a view of it that is made under no_grad then does not require grad, as one of a view does in eager.
# note: in plain Python: script `return torch.min(x, x).permute(1, 0)`; from the second run on `y = f(x)` and, under no_grad, `y.swapdims(1, 1).requires_grad`: False, eager True.
# expect: torch:aot_eager Differs/leaf/call 0 output 0
# expect: torch:aot_eager_decomp_partition Differs/leaf/call 0 output 0
# expect: torch:aot_function Differs/leaf/call 0 output 0
# expect: ts Differs/requires_grad/call 1 output 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w0,), ()


def program(x0):
    y3 = torch.min(x0, x0)
    y4 = torch.permute(y3, (1, 0))
    with torch.no_grad():
        y8 = torch.swapdims(y4, 1, 1)
    return y8


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
