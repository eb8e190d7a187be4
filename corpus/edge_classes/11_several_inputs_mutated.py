# touchstone: 1
# torch: 2.13.0
# note: several inputs mutated
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    z = data((3, 4), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, y, z), ()


def program(x, y, z):
    x.add_(y)
    y.mul_(x)
    return x * z + y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
