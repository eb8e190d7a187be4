# touchstone: 1
# torch: 2.13.0
# note: a product that overflows is kept by a kernel that fuses it with the sum, and meets an infinity of the other sign in simpler steps.
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: torch:aot_eager_decomp_partition IllConditioned
import torch


def inputs(seed, kind):
    b6 = data((4,), torch.float32, (seed, 1103), kind)
    x3 = data((4, 5), torch.float32, (seed, 1101), kind).permute((1, 0))
    return (x3, b6), ()


def program(x3, x5):
    return x3.sum(1).addmv(x3, -x5)


CALLS = [
    dict(inputs="inputs", kind="special"),
    dict(inputs="inputs", seed=1, kind="special"),
]
