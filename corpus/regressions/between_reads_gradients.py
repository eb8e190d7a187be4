# touchstone: 1
# torch: 2.13.0
# note: what runs between forward and backward reads `.grad`; the program does not
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (a,), ()


def touch(args, outs):
    args[0].grad = None


def program(x):
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], between="touch"),
]
