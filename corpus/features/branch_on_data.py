# touchstone: 1
# torch: 2.13.0
# note: a branch on data and a number read from a tensor
# expect: torch:aot_function Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    if (x.sum() > 0).item():
        y = x.mul(2)
    else:
        y = x.mul(3)
    return y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=11),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=12),
    dict(inputs="inputs", seed=3, backward=[0], tangent_seed=13),
    dict(inputs="inputs", seed=4, backward=[0], tangent_seed=14),
    dict(inputs="inputs", seed=5, backward=[0], tangent_seed=15),
    dict(inputs="inputs", seed=6, backward=[0], tangent_seed=16),
]
