# touchstone: 1
# torch: 2.13.0
# note: the same leaf in two slots: its gradient comes once, from both
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, x), ()


def program(x, y):
    return x.mul(2) + y.mul(y), y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4),
]
