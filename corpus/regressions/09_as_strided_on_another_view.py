# touchstone: 1
# torch: 2.13.0
# note: pytorch/pytorch#104505: as_strided composed on another view
# note: refused on purpose (rule A13)
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_function Limit/A13
# expect: torch:inductor Limit/A13
import torch


def inputs(seed, kind):
    x = data((4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x[1:].as_strided((2, 2), (4, 1), 5)
    y.add_(1)
    return x.mul(2), y.clone()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
