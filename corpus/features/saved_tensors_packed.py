# touchstone: 1
# torch: 2.13.0
# note: what is saved for the backward goes through two functions, which give another value; under aot_function neither is called where the backward runs: silently another gradient
# expect: eager Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: aot_eager Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: eager_noexcept Unsupported
# expect: pre_dispatch_eager Unsupported
# expect: eager_debug Unsupported
# expect: invoke_subgraph Unsupported
# expect: debug_nop Unsupported
# expect: ts Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
# expect: torch:aot_function Differs/gradient_values/call 0 leaf 0
import torch


def pack(t):
    return t.detach() * 2


def unpack(packed):
    return packed


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    return y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
