# touchstone: 1
# torch: 2.13.0
# note: a view of an input is saved for backward, and returned
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((6, 4), torch.float32, (seed, 1), kind)
    return (x, w), ()


def program(x, w):
    v = w[1:4]
    return x * v, v


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
