# touchstone: 1
# torch: 2.13.0
# note: of two assertions that fail the first one is the error; behind a print, and before another
# expect: eager BothRejected
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
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_function BothRejected
# expect: torch:aot_eager BothRejected
# expect: torch:aot_eager_default_partitioner BothRejected
# expect: torch:aot_eager_decomp_partition BothRejected
# expect: torch:inductor BothRejected
# expect: aot_joint Unsupported
# expect: ts BackendAccepts
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def inputs_below(seed, kind):
    x = (data((3,), torch.float32, (seed, 0), kind).abs() * -1 - 1).requires_grad_()
    return (x,), ()


def program(x):
    torch.ops.aten._print("before")
    torch._assert_async((x > -1).all(), "first")
    torch._assert_async((x >= -0.5).all(), "second")
    torch.ops.aten._print("after")
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs_below", seed=2, backward=[0], tangent_seed=4),
]
