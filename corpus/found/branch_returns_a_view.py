# touchstone: 1
# torch: 2.13.0
# note: what a branch returns is a view of a tensor that nobody has, so that autograd takes no write to it; a trace has to know.
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
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_function BackendAccepts
# expect: torch:aot_eager_default_partitioner BackendAccepts
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: torch:inductor BackendAccepts
import torch


def inputs(seed, kind):
    x = data((1, 1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = torch.cond(x, lambda x: torch.nn.functional.conv1d(x, x), lambda x: torch.nn.functional.conv1d(x, -x), (x,))
    torch._foreach_lerp_([y], [x], 0)
    return y


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
