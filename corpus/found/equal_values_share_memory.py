# touchstone: 1
# torch: 2.13.0
# note: one value is computed twice. Both results are one tensor in memory when compiled: a write to one shows in the other.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_eager Differs/partition
# expect: torch:aot_eager_decomp_partition Differs/partition
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sin(), x.argsort(), x.argsort()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
