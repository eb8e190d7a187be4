# touchstone: 1
# torch: 2.13.0
# note: requires_grad of an input changes between calls
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_plain(seed, kind):
    return (data((3, 4), torch.float32, (seed, 0), kind),), ()


def program(x):
    return x.mul(2), x.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs_plain", seed=2),
    dict(inputs="inputs", seed=3, backward=[1], tangent_seed=4),
]
