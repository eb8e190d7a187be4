# touchstone: 1
# torch: 2.13.0
# note: outputs that alias each other and no graph in between
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.mul(2)
    z = y.view(4, 3)
    return z, z.t(), y[0], z[1:]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 2], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1, 3], tangent_seed=4),
]
