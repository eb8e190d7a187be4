# touchstone: 1
# torch: 2.13.0
# note: detach_ and then requires_grad_ make a leaf of an argument that was none
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0 * 1
    return (b0,), (w0,)


def program(x0):
    x0.detach_()
    x0.requires_grad_()
    return x0 * x0


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs=None),
]
