# touchstone: 1
# torch: 2.13.0
# note: an output is a view of an input that is written to before the backward; a native pipeline of ours was wrong here
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    leaf = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    x = leaf.mul(2)
    w = data((2, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), (leaf,)


def program(x, w):
    y = torch.as_strided(x, (2,), (1,), 1)
    return torch.where(w > 0, w, 3), y


def touch(args, outs):
    args[0].mul_(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[1], between="touch"),
    dict(inputs="inputs", seed=2, backward=[1], tangent_seed=2, between="touch"),
]
