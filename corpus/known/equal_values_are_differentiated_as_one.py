# touchstone: 1
# torch: 2.13.0
# note: a trait of TorchScript: equal values are computed once, and their tangents are added before they go through the formula, where eager adds gradients: it rounds otherwise, and infinities add up to something else.
# note: in plain Python: script `return torch.cos(x.half() + x), x.half() + x`; the gradient of x by both differs from the first run on.
# expect: ts Differs/gradient_values/call 0 leaf 0
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w3 = data((), torch.float32, (seed, 2), kind).requires_grad_()
    return (w3,), ()


def program(x3):
    return torch.cos(x3.half() + x3), x3.half() + x3


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs", seed=1, backward=[0, 1]),
]
