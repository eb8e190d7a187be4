# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#132200, #170160: equal factories that are mutated, equal reads around a write
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    a = torch.zeros(3, 4)
    b = torch.zeros(3, 4)
    a.add_(1)
    y = x.clone()
    before = y.mul(2)
    y.add_(1)
    after = y.mul(2)
    return a, b, before, after


CALLS = [
    dict(inputs="inputs", seed=1, backward=[2, 3], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[3], tangent_seed=4),
]
