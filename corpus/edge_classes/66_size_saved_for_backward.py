# touchstone: 1
# torch: 2.13.0
# note: sizes among the outputs, with changing sizes
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_larger(seed, kind):
    return (data((5, 2), torch.float32, (seed, 0), kind).requires_grad_(),), ()


def program(x):
    return x.expand(2, *x.shape).mul(3), x.shape[0], x.numel()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs_larger", seed=2, backward=[0], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[0], tangent_seed=5),
]
COMPILE = dict(dynamic=True)
