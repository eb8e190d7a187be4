# touchstone: 1
# sequence: requires_grad; rank; back
# note: inputs that share memory, of which one keeps its sizes
# torch: 2.13.0
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
import torch


def inputs(seed, kind):
    l2 = data((), torch.float32, (seed, 2), kind).requires_grad_()
    b2 = l2 * 1
    t2 = torch.as_strided(b2, (), ())
    t7 = (2,)
    return (t2, [t7, b2]), (l2,)


def program(z, parts):
    z.add_(0)
    return (z * 0,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
COMPILE = dict(dynamic=True)
