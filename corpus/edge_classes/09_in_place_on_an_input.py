# touchstone: 1
# torch: 2.13.0
# note: plain in-place on an input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    x.add_(1)
    return x * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
