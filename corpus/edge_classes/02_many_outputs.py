# touchstone: 1
# torch: 2.13.0
# note: seven outputs, backward from some of them
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    a = x.mul(2)
    b = a.mul(x)
    c = b.sum(0)
    return a, b, c, a.mul(b), c.neg(), x.sub(1), b.mul(3)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 3, 6], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0, 3, 6], tangent_seed=4),
    dict(inputs="inputs", seed=3, backward=[2], tangent_seed=5),
]
