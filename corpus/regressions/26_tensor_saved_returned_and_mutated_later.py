# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#172956: a tensor that is saved for backward and returned, and written into an input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, w), ()


def program(x, w):
    y = x + w
    s = y.sin()
    z = s * y
    w.copy_(z.detach())
    return s, z, w.t()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
