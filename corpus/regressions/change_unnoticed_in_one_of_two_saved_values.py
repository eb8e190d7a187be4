# touchstone: 1
# torch: 2.13.0
# note: of two saved values one lies in an input as an _unsafe_view, which does not share its version: a gradient of both must not be computed from the changed one and the unchanged other.
# expect: aot_joint Limit/A16
# expect: torch:aot_eager Limit/A16
# expect: torch:aot_eager_decomp_partition Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1,), torch.float32, (seed, 201), kind).requires_grad_()
    b1 = data((3, 1), torch.float32, (seed, 1), kind)
    return (b0, b1), ()


def helper_0(x2):
    y0 = torch.kron(x2, x2)
    return y0


def program(x2, x3):
    y0 = helper_0(x2)
    y2 = y0.view((1, 1, 1))
    y3 = torch.where(x3 > 0, x3, y0)
    if y2.numel() > 2:
        y4 = y2
    else:
        y4 = torch.nn.functional.pad(y2, (0, 1), value=2.0)
        y2 = torch.where(y4 < y3, y4, y3)
    y6 = torch.nn.functional.max_pool1d(y4, 2, 1)
    return y2, y6


def touch(args, outs):
    args[0].mul_(2)


CALLS = [
    dict(inputs="inputs", seed=6, backward=[0], between="touch"),
    dict(inputs="inputs", seed=7, backward=[0], between="touch"),
    dict(inputs="inputs", seed=8, backward=[0], between="touch"),
    dict(inputs="inputs", seed=9, backward=[0], between="touch"),
]
