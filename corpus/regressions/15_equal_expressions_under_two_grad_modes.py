# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#114344: the same expression under no_grad and enable_grad
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.no_grad():
        a = x.mul(2)
    b = x.mul(2)
    return a, b


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=4),
]
