# touchstone: 1
# torch: 2.13.0
# note: retain_grad of a value that compiled code made: other values of that code add to its gradient.
# expect: aot_eager Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: debug_nop Unsupported
# expect: invoke_subgraph Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: torch:aot_function Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
import torch


def inputs(seed, kind):
    w1 = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (w1,), ()


def program(x1):
    y1 = x1 * 2
    y2 = y1 * y1
    torch._dynamo.graph_break()
    y1.retain_grad()
    z1 = (y1 * 3).sum() + y2.sum()
    return z1, y1


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
