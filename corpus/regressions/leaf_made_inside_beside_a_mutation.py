# touchstone: 1
# torch: 2.13.0
# note: a leaf made inside and a mutated input: their graphs do not meet, and the input must not depend on the leaf; a native pipeline of ours was wrong here
# expect: torch:aot_function Differs/leaf
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.clone()
    return (b0,), (w0,)


def program(x1):
    x1.add_(1)
    y7 = torch.ones((1, 1, 1), requires_grad=True)
    return y7


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs=None),
]
