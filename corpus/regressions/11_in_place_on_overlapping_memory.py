# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#174371: in-place through unfold whose windows overlap
# note: refused on purpose (rule A13)
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_function Limit/A13
# expect: torch:inductor Limit/A13
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.clone()
    y.unfold(0, 3, 1).mul_(2)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
