# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#181146: the gradient of a tensor passed twice
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, x), ()


def program(a, b):
    return a.mul(2) + b.mul(b)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
