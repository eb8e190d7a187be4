# touchstone: 1
# torch: 2.13.0
# note: a hook on an argument sees the gradient that arrives through a view of it, too
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (a, a[0:2]), ()


def h(g):
    return g * g


def program(x, v):
    x.register_hook(h)
    return x.sin(), v.exp()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
