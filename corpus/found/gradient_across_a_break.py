# touchstone: 1
# torch: 2.13.0
# note: torch.autograd.grad and retain_grad behind a break of a value on which another value of the code before it is built.
# expect: aot_eager Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: debug_nop Unsupported
# expect: invoke_subgraph Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: ts Differs/values
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
import torch


def inputs(seed, kind):
    b1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x1):
    y1 = x1 * 2
    y2 = y1.sin()
    torch._dynamo.graph_break()
    y3 = torch.autograd.grad((y1 * 3).sum() + y2.sum(), [y1])
    return y3


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs", seed=4),
]
