# touchstone: 1
# torch: 2.13.0
# note: two arguments share memory, but not the counter of its versions (set_)
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    b = torch.empty((0,))
    torch.ops.aten.set_(b, a)
    return (a, b, data((3,), torch.float32, (seed, 1), kind).requires_grad_()), ()


def touch(args, outs):
    outs[1].add_(1)


def program(a, b, w):
    return w * b, b.view(-1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], between="touch"),
]
