# touchstone: 1
# torch: 2.13.0
# note: a squeeze view of a clone is mutated
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 1), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.clone()
    y.squeeze(1).mul_(2)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
COMPILE = dict(dynamic=True)
