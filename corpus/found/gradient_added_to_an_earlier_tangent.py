# touchstone: 1
# torch: 2.13.0
# note: two leaves get one gradient, a view of the caller's tangent: the first copies it, the second takes it, and the backward of the next call adds to that tangent
# expect: simple_ts_compile Unsupported
# expect: torch:aot_function Differs/identity
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((), torch.float32, (seed, 1), kind).requires_grad_()
    return (a, b), ()


def program(a, b):
    c = b.add(a).view((1,))
    return c, b, c


CALLS = [
    dict(inputs="inputs", backward=[1, 2]),
    dict(inputs=None, backward=[0]),
    dict(inputs="inputs", seed=1, backward=[1, 2]),
]
