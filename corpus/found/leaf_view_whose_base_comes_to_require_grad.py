# touchstone: 1
# torch: 2.13.0
# note: a leaf that is a view is used after its base has come to require grad, which makes it an inner node. Dynamo asserts when it makes fake tensors of such arguments: a defect. The native pipeline refuses it, because `grad()` gives the inner gradient
# expect: aot_eager Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: debug_nop Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: invoke_subgraph Unsupported
# expect: torch:eager InternalError/compile
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1,), torch.float64, (seed, 1), kind).requires_grad_()
    b2 = data((1,), torch.float32, (seed, 1), kind)
    x2 = torch.as_strided(b2, (1, 1, 1), (1, 1, 1), 0).requires_grad_()
    return (b0, x2, b2), ()


def program(x0, x2, x3):
    x3.add_(x0)
    y5 = torch.mul(x2, x3)
    return (y5,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=["arg 2"]),
    dict(inputs="inputs", seed=2, backward=["arg 2"]),
]
