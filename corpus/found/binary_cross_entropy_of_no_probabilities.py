# touchstone: 1
# torch: 2.13.0
# note: the kernel refuses what lies outside of 0 to 1, the decomposition does not look.
# expect: eager BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: aot_eager BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: eager_noexcept BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: eager_debug BothRejected
# expect: invoke_subgraph BothRejected
# expect: debug_nop BothRejected
# expect: ts BothRejected
# expect: simple_ts_compile BothRejected
# expect: ts_compile BothRejected
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
# expect: torch:aot_function BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_eager BothRejected
# expect: torch:aot_eager_decomp_partition MissingRefusal
import torch


def inputs(seed, kind):
    x = torch.tensor([2.0, 3.0])
    return (x,), ()


def program(x):
    return torch.nn.functional.binary_cross_entropy(x, x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
