# touchstone: 1
# torch: 2.13.0
# note: what a view is a view of has the symbols of its dimensions, and not of each size that is equal
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((2, 2, 510, 2), torch.float32, (seed, 1), kind)
    x0 = b0.permute((0, 3, 1, 2)).requires_grad_()
    return (x0,), ()


def inputs_2(seed, kind):
    b0 = data((2, 2, 2, 2), torch.float32, (seed, 1), kind)
    x0 = b0.permute((0, 3, 1, 2)).requires_grad_()
    return (x0,), ()


def program(x0):
    return torch.sub(x0, x0)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs_2"),
    dict(inputs="inputs", seed=2, backward=[0], tangent_layout="expanded"),
    dict(inputs="inputs", seed=3, backward=[0], tangent_layout="expanded"),
]
COMPILE = dict(dynamic=None)
