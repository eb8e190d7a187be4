# touchstone: 1
# torch: 2.13.0
# note: a hook on an argument that each call registers once more
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (a,), ()


def double(g):
    return g * g


def program(x):
    x.register_hook(double)
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs=None, backward=[0]),
]
