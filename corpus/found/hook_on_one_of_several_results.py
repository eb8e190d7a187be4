# touchstone: 1
# torch: 2.13.0
# note: a hook on a result of unbind behind a break, where a gradient comes to another result only: eager calls it with None.
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
    b1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def negate_gradient(g):
    return -g


def program(x1):
    y1, y2 = x1.unbind(0)
    torch._dynamo.graph_break()
    y1.register_hook(negate_gradient)
    return (y2,)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0]),
]
