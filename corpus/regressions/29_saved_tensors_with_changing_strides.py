# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#163894: strides of saved tensors against those traced, with changing sizes
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_one_row(seed, kind):
    return (data((1, 4), torch.float32, (seed, 0), kind).requires_grad_(),), ()


def inputs_larger(seed, kind):
    return (data((5, 2), torch.float32, (seed, 0), kind).requires_grad_(),), ()


def program(x):
    y = x.t().contiguous().t()
    z = y * y
    return z.mul(y), z.sum(0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 1], tangent_seed=4),
    dict(inputs="inputs_one_row", seed=3, backward=[0], tangent_seed=5),
    dict(inputs="inputs_larger", seed=4, backward=[0, 1], tangent_seed=6),
    dict(inputs="inputs_larger", seed=5, backward=[0, 1], tangent_seed=7),
]
COMPILE = dict(dynamic=True)
