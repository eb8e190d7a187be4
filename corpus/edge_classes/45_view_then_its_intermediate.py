# touchstone: 1
# torch: 2.13.0
# note: a view, then the intermediate that it is a view of
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    return y.view(-1), y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[0], tangent_seed=5),
]
