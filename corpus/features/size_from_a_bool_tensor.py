# touchstone: 1
# torch: 2.13.0
# note: a tensor of one bool is no size, though it is an index
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
# expect: torch:aot_function Unsupported
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
    b0 = data((1, 1), torch.int64, (seed, 1), kind)
    return (b0,), ()


def program(x0):
    y1 = torch.ones(3, 3).sum((x0.to(torch.bool),))
    return y1, torch.zeros(x0.to(torch.bool))


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
