# touchstone: 1
# torch: 2.13.0
# note: pieces of an input, given twice, and a write of no elements: the pieces may not be used for a backward any more; a native pipeline of ours was wrong here
# expect: torch:aot_function Limit/A9
# expect: torch:aot_eager Limit/A9
# expect: torch:aot_eager_decomp_partition Limit/A9
# expect: torch:inductor Limit/A9
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    return (b1, b1), (w1,)


def program(x1, x3):
    y4 = x3.unbind(1)
    x3[1:1] = 1
    return (y4,)


def touch(args, outs):
    args[1].mul_(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], between="touch"),
]
