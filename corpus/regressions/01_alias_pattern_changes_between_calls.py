# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#139789: the second call's inputs overlap
# note: a defect, silent, still open: no guard on which inputs overlap
# expect: torch:aot_eager Differs/values/call 2 output 0
# expect: torch:aot_eager_decomp_partition Differs/values/call 2 output 0
# expect: torch:inductor Differs/values/call 2 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((4,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs_overlapping(seed, kind):
    base = data((8,), torch.float32, (seed, 0), kind)
    return (base[0:4], base[2:6]), (base,)


def program(x, y):
    x.mul_(2)
    return x + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_overlapping", seed=3),
]
