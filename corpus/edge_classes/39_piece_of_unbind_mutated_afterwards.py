# touchstone: 1
# torch: 2.13.0
# note: pieces of an input as outputs; the caller writes to one, which autograd forbids
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (leaf.mul(1),), (leaf,)


def touch(args, outs):
    outs[0].mul_(2)


def program(x):
    a, b, c = x.unbind(0)
    return a, b, c


CALLS = [
    dict(inputs="inputs", seed=1, between="touch"),
    dict(inputs="inputs", seed=2, between="touch"),
]
