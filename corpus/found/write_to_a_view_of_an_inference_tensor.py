# touchstone: 1
# torch: 2.13.0
# note: a view made outside of inference mode of a tensor made inside: eager refuses the write, aot_eager does not
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: torch:aot_function BackendAccepts
# expect: torch:inductor BackendAccepts
# expect: aot_eager BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: eager BothRejected
# expect: eager_noexcept BothRejected
# expect: eager_debug BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: invoke_subgraph BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: debug_nop BothRejected
# expect: ts BothRejected
# expect: simple_ts_compile BothRejected
# expect: ts_compile BothRejected
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
import torch


def inputs(seed, kind):
    b0 = data((1, 1, 1), torch.int64, (seed, 1), kind)
    return (b0,), ()


def program(x3):
    with torch.inference_mode():
        y0 = x3.clone()
    y1 = y0.diagonal()
    y1.mul_(y1)
    return


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
