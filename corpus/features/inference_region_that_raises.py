# touchstone: 1
# torch: 2.13.0
# note: an operator raises in a region of inference mode
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
# expect: simple_ts_compile BothRejected
# expect: ts_compile BothRejected
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    with torch.inference_mode():
        b = x.view(77)
    return b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
]
