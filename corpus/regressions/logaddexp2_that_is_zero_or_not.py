# touchstone: 1
# torch: 2.13.0
# note: rounding decides whether a sum of logarithms is zero
# expect: torch:aot_eager_decomp_partition IllConditioned
# expect: torch:inductor IllConditioned
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
import torch


def inputs(seed, kind):
    b0 = data((2, 1), torch.float32, (seed, 462), kind)
    return (b0,), ()


def program(x3):
    y2 = torch.logaddexp2(x3, x3)
    y7 = y2.any(1)
    return y7


CALLS = [
    dict(inputs="inputs", seed=9),
    dict(inputs="inputs", seed=10),
    dict(inputs="inputs", seed=11),
]
