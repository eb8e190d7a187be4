# touchstone: 1
# torch: 2.13.0
# note: an output is a leaf that is a view of an input; a native pipeline of ours was wrong here
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind)
    return (b1,), ()


def program(x1):
    y5 = x1.reshape((1,))
    y6 = y5.requires_grad_()
    return y6


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
