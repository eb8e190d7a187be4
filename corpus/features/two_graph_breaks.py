# touchstone: 1
# torch: 2.13.0
# note: two breaks: a print, and a branch on values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((4, 4), torch.float32, (seed, 1), kind)
    return (x, w), ()


def program(x, w):
    y = torch.mm(x, w)
    print("between")
    z = y.relu()
    if z.sum() > 4:
        return z * 2
    return z - 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
