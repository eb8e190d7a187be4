# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#194747: mutation on aliased inputs of different dtypes
# note: refused on purpose (rule A13)
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_function Limit/A13
# expect: torch:inductor Limit/A13
import torch


def inputs(seed, kind):
    base = data((8,), torch.float32, (seed, 0), kind)
    return (base, base.view(torch.int32)), ()


def program(x, y):
    y.add_(1)
    return x.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
