# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#97083: writes into the base before and after a view
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 1), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.clone()
    y.add_(1)
    z = y.squeeze(1)
    y.mul_(2)
    return z, y, z.add(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
