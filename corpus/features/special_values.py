# touchstone: 1
# torch: 2.13.0
# note: infinities, NaN, signed zeros, huge and tiny numbers
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.mul(2), torch.relu(x), x.sum(0), torch.maximum(x, x.neg())


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", backward=[0, 1], tangent_seed=3),
    dict(inputs="inputs", seed=2, kind="special"),
    dict(inputs="inputs", seed=3, kind="uniform", backward=[1, 3], tangent_seed=4),
    dict(inputs="inputs", seed=4, kind="zeros"),
]
