# touchstone: 1
# torch: 2.13.0
# note: an input that was saved for backward is written to before it: eager refuses the backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, w), ()


def touch(args, outs):
    args[1].mul_(2)


def program(x, w):
    return x * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3, between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4, between="touch"),
]
