# touchstone: 1
# torch: 2.13.0
# note: an output is the next call's input, and the backward of the last call goes through both
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = x * w
    return y + 1, y * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=3, feed=[(0, 0)]),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4, backward=[0, 1], tangent_seed=4, feed=[(0, 1)]),
]
