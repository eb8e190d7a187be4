# touchstone: 1
# torch: 2.13.0
# note: what the runtime refuses after the Graph has run (the gradient kept of x1) is not run again as what kernels refuse
# expect: torch:aot_function Unsupported
# expect: aot_eager Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: invoke_subgraph Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: debug_nop Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
import torch


def inputs(seed, kind):
    w0 = data((2, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b0 = w0.mul(1)
    return (b0,), (w0,)


def program(x1):
    x1[1] += 1
    x1.retain_grad()
    x1.unsqueeze_(0)
    y3 = torch.take_along_dim(x1, x1.argsort(0), 0)
    return (y3,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
