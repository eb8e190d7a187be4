# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch PR 190938: two slices of one input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x[0:2].mul(2) + x[2:4].mul(3), x[1:3].mul(x[0:2])


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4),
]
