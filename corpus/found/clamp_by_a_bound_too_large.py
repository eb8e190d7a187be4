# touchstone: 1
# torch: 2.13.0
# note: eager refuses a bound that is no float, Inductor computes with it (pytorch/pytorch#195675).
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
# expect: torch:aot_eager_decomp_partition BothRejected
# expect: torch:inductor MissingRefusal
import torch


def inputs(seed, kind):
    a = data((4,), torch.float32, (seed, 0), kind)
    return (a,), ()


def program(a):
    return torch.clamp(a, min=-3.4e+39, max=3.4e+39)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
