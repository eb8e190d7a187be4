# touchstone: 1
# torch: 2.13.0
# note: three forwards are alive before their backwards, which run last first; the second goes backward twice, with other tangents
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = x * w
    return y, y.t() * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4, backward_times=2),
    dict(inputs="inputs", seed=3, backward=[1], tangent_seed=5, backward_after=[1, 0]),
]
