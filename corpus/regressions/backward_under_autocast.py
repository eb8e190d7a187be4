# touchstone: 1
# torch: 2.13.0
# note: a backward of compiled code runs in a region of autocast that the forward was not in
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    w1 = data((1, 1, 1), torch.float32, (seed, 1), kind)
    return (w0, w0, w1), ()


def program(x0, x1, x2):
    y0 = x0 + x1
    y7 = torch.unsqueeze(y0, 1)
    y9 = y7 @ y7 + x2.sum()
    torch._dynamo.graph_break()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y10 = torch.autograd.grad(y9, [x1], retain_graph=True)
    return y10


CALLS = [
    dict(inputs="inputs", seed=8, kind="uniform"),
    dict(inputs="inputs", seed=9, kind="uniform"),
    dict(inputs="inputs", seed=10, kind="uniform"),
]
