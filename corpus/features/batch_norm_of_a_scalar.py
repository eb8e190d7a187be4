# touchstone: 1
# torch: 2.13.0
# note: statistics of a batch without dimensions: Python finds no size to look at
# expect: eager BothRejected
# expect: eager_noexcept BothRejected
# expect: eager_debug BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: aot_eager BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: debug_nop BothRejected
# expect: invoke_subgraph BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_function BothRejected
# expect: torch:aot_eager BothRejected
# expect: torch:aot_eager_decomp_partition BothRejected
# expect: ts BothRejected
# expect: simple_ts_compile BothRejected
# expect: ts_compile BothRejected
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
import torch


def inputs(seed, kind):
    b3 = data((3,), torch.float32, (seed, 1), kind)
    return (b3,), ()


def program(x3):
    y0 = torch.inner(x3, x3)
    torch.nn.functional.batch_norm(y0, None, None, training=True)
    return y0


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
