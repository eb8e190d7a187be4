# touchstone: 1
# torch: 2.13.0
# note: slices of an intermediate are saved for backward, the intermediate itself is not used there
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.exp()
    a = y[0:1]
    b = y[1:2]
    return a.sin() * b, b.cos()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4),
]
