# touchstone: 1
# torch: 2.13.0
# note: any number of hooks on one leaf run in order of registration
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (a,), ()


def square(g):
    return g * g


def double(g):
    return g * 2


def program(x):
    x.register_hook(square)
    x.register_hook(double)
    y = x.sin()
    y.register_hook(double)
    y.register_hook(square)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
