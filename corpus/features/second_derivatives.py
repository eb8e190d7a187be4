# touchstone: 1
# torch: 2.13.0
# note: gradients are differentiated once more
# expect: aot_joint Limit/A13
# expect: aot_functional Limit/A13
# expect: aot_eager_default_partitioner Limit/A13
# expect: aot_eager Limit/A13
# expect: aot_eager_decomp_partition Limit/A13
# expect: aot_eager_decomp_partition_crossref Limit/A13
# expect: invoke_subgraph Limit/A13
# expect: debug_nop Limit/A13
# expect: aot_ts Limit/A13
# expect: nnc_jit Limit/A13
# expect: memory_efficient_fusion Limit/A13
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_function Limit/A13
# expect: torch:inductor Limit/A13
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    return x * x * w, w + 1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], via="grad", tangent_seed=3, derivatives=2),
    dict(inputs="inputs", seed=2, backward=[0], via="grad", tangent_seed=4, derivatives=2),
]
