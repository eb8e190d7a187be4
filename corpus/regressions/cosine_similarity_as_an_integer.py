# touchstone: 1
# note: rounding decides whether a cosine of one is zero or one as an integer
# expect: aot_eager_decomp_partition Agreed
# expect: aot_eager_decomp_partition_crossref Agreed
# expect: torch:aot_eager_decomp_partition IllConditioned
# expect: torch:aot_function Unsupported
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: aot_eager_decomp_partition Agreed
# expect: aot_eager_decomp_partition_crossref Agreed
import torch


def inputs(seed, kind):
    b0 = data((), torch.float64, (seed, 499), kind)
    m = torch.nn.Module()
    m.register_buffer("n", data((3, 3, 3), torch.float32, (seed, 1), kind))
    return (b0, m), ()


def program(x0, m):
    p1 = m.n
    p1.copy_(x0)
    y3 = torch.cosine_similarity(p1, p1, 1)
    y8 = y3.to(torch.int64)
    return y8


CALLS = [
    dict(inputs="inputs", seed=7, kind="uniform"),
    dict(inputs="inputs", seed=8, kind="uniform"),
    dict(inputs="inputs", seed=9, kind="uniform"),
]
