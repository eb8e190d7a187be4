# touchstone: 1
# torch: 2.13.0
# note: a leaf that looks into the memory to which something that requires grad is written; eager meets the saved tensor that was changed where it differentiates all.
# found-by: seed 901001 case 3902, continued from seed 901001 case 3633 (daccb4189a8e9616)
# expect: aot_joint Limit/A8
# expect: aot_functional Limit/A8
# expect: aot_eager_default_partitioner Limit/A8
# expect: aot_eager Limit/A8
# expect: aot_eager_decomp_partition Limit/A8
# expect: aot_eager_decomp_partition_crossref Limit/A8
# expect: invoke_subgraph Limit/A8
# expect: debug_nop Limit/A8
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Limit/A8
# expect: nnc_jit Limit/A8
# expect: memory_efficient_fusion Limit/A8
# expect: torch:aot_function Limit/A8
# expect: torch:aot_eager_default_partitioner Limit/A8
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:inductor Limit/A8
import torch


def inputs(seed, kind):
    b0 = data((1,), torch.float32, (seed, 1), kind)
    x0 = b0.permute((0,)).requires_grad_()
    x3 = torch.ones((1,)).requires_grad_()
    return (x0, b0, x3), ()


def program(x0, x1, x3):
    y0 = x3[:0]
    x1.eq_(y0.sum() * x0)
    return (y0,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
