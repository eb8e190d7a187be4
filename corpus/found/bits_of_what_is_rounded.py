# touchstone: 1
# torch: 2.13.0
# note: the bits of a number that is rounded elsewhere are those of another integer, which a double does not hold.
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: memory_efficient_fusion IllConditioned
# expect: torch:aot_function Limit/A13
# expect: torch:aot_eager_decomp_partition IllConditioned
# expect: torch:inductor IllConditioned
import torch


def inputs(seed, kind):
    b0 = data((33,), torch.float64, (seed, 668), kind)
    x1 = b0.view(torch.int64)
    return (b0, x1), ()


def program(x0, x1):
    torch.nn.functional.elu_(x0)
    return


CALLS = [
    dict(inputs="inputs", seed=9, kind="uniform"),
    dict(inputs="inputs", seed=10, kind="uniform"),
]
