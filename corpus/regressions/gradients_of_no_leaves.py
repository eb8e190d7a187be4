# touchstone: 1
# torch: 2.13.0
# note: gradients are asked for where no leaf required grad when the call began: a RuntimeError, as Python says it
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x0 = data((2,), torch.float32, (seed, 1), kind)
    return (x0,), ()


def program(x0):
    x0.requires_grad_()
    y0 = x0.mul(2)
    return (y0,)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], via="grad"),
    dict(inputs="inputs", seed=7, backward=[0]),
]
