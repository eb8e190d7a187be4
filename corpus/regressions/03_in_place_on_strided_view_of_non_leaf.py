# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#93363: in-place through a[0::2] of a non-leaf that requires grad
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((6, 2), torch.float32, (seed, 0), kind).requires_grad_()
    a = leaf.mul(1)
    return (a,), (leaf,)


def program(a):
    a[0::2].add_(1)
    return a.mul(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
