# touchstone: 1
# torch: 2.13.0
# note: a write between forward and backward to what eager has saved as an _unsafe_view, which does not share its version: eager uses the changed value.
# expect: aot_joint Limit/A16
# expect: torch:aot_eager Limit/A16
# expect: torch:aot_eager_decomp_partition Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y3 = torch.kron(x1, x1)
    return (y3,)


def touch(args, outs):
    args[0].mul_(2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0], between="touch"),
    dict(inputs="inputs", seed=3, backward=[0], between="touch"),
    dict(inputs="inputs", seed=4, backward=[0], between="touch"),
]
