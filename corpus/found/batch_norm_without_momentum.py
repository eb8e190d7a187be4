# touchstone: 1
# torch: 2.13.0
# note: the running mean of a batch norm without momentum is divided by a count in a tensor: Dynamo cannot guard on it, and refuses (pytorch/pytorch#194504).
# expect: eager BackendRejected/forward
# expect: aot_joint BackendRejected/forward
# expect: aot_functional BackendRejected/forward
# expect: aot_eager_default_partitioner BackendRejected/forward
# expect: aot_eager BackendRejected/forward
# expect: aot_eager_decomp_partition BackendRejected/forward
# expect: aot_eager_decomp_partition_crossref BackendRejected/forward
# expect: eager_noexcept BackendRejected/forward
# expect: pre_dispatch_eager BackendRejected/forward
# expect: eager_debug BackendRejected/forward
# expect: invoke_subgraph BackendRejected/forward
# expect: debug_nop BackendRejected/forward
# expect: ts BackendRejected/forward
# expect: simple_ts_compile BackendRejected/forward
# expect: ts_compile BackendRejected/forward
# expect: aot_ts BackendRejected/forward
# expect: nnc_jit BackendRejected/forward
# expect: memory_efficient_fusion BackendRejected/forward
# expect: torch:aot_function Unsupported
# expect: torch:eager BackendRejected/compile
# expect: torch:aot_eager BackendRejected/compile
# expect: torch:aot_eager_decomp_partition BackendRejected/compile
import torch


def inputs(seed, kind):
    m = torch.nn.BatchNorm1d(3, momentum=None)
    x = data((4, 3), torch.float32, (seed, 0), kind)
    return (x, m), ()


def program(x, m):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
COMPILE = dict(fullgraph=True)
