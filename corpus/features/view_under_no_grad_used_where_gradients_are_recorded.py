# touchstone: 1
# torch: 2.13.0
# note: a view made under no_grad of what requires grad is used behind the region.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((4, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1 * 1,), (w1,)


def program(x1):
    with torch.no_grad():
        y1 = x1[1:3]
    y2 = y1 * 2
    return y2 + y1, x1 * x1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1]),
    dict(inputs="inputs", seed=2, backward=[1]),
    dict(inputs="inputs", seed=3, backward=[1]),
]
