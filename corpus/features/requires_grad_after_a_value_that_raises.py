# touchstone: 1
# torch: 2.13.0
# note: an index out of range raises before requires_grad is switched on
# expect: aot_eager BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: debug_nop BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: eager_noexcept BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: eager_debug BothRejected
# expect: invoke_subgraph BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:eager BothRejected
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BothRejected
# expect: torch:aot_eager_decomp_partition BothRejected
# expect: eager BothRejected
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
    a = data((3,), torch.float32, (seed, 0), kind)
    return (a, torch.tensor([0, 1])), ()


def inputsbad(seed, kind):
    a = data((3,), torch.float32, (seed, 0), kind)
    return (a, torch.tensor([0, 7])), ()


def program(x, i):
    y = torch.gather(x, 0, i)
    x.requires_grad_()
    return y, x * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputsbad", seed=3),
]
