# touchstone: 1
# torch: 2.13.0
# note: a write that raises to what a Graph before it has returned, which requires grad
# expect: eager BothRejected
# expect: aot_eager BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: debug_nop BothRejected
# expect: eager_noexcept BothRejected
# expect: eager_debug BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: invoke_subgraph BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_function BothRejected
# expect: torch:aot_eager BothRejected
# expect: torch:aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: ts BothRejected
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
import torch


def inputs(seed, kind):
    b0 = data((1, 1), torch.float32, (seed, 1), kind)
    b1 = data((1,), torch.float32, (seed, 1), kind)
    x1 = b1.requires_grad_()
    return (b0, x1), ()


def program(x0, x1):
    y2 = x1.sum(0, dtype=torch.float64)
    y2.copy_(x0)
    return


CALLS = [
    dict(inputs="inputs"),
]
