# touchstone: 1
# torch: 2.13.0
# note: the backward saves a view of an input, and the next graph writes to the input: eager raises in the backward
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    x0 = b0 * 1
    x1 = x0.view((2, 3))
    return (x0, x1), (b0,)


def program(x0, x1):
    y0 = x0 + x1.cos()
    torch._dynamo.graph_break()
    x0.mul_(1)
    return y0


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
