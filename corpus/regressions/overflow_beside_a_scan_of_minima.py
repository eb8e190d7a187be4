# touchstone: 1
# torch: 2.13.0
# note: a sum that overflows or not by its order, beside a minimum under vmap, of which no values can be read.
# expect: aot_eager_decomp_partition IllConditioned
# expect: aot_eager_decomp_partition_crossref IllConditioned
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch
import torch._higher_order_ops


def inputs(seed, kind):
    m = torch.nn.Parameter(data((2, 3), torch.float32, (seed, 2), kind))
    return (m,), ()


def program(m):
    torch._higher_order_ops.associative_scan(lambda a, b: torch.minimum(a, b), torch.ones((2,)), 0, combine_mode="generic")
    y14 = torch.nn.functional.batch_norm(m, None, None, training=True)
    return y14


CALLS = [
    dict(inputs="inputs", kind="special", backward=[0]),
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
]
