# touchstone: 1
# torch: 2.13.0
# note: code before the break makes two values that share a leaf alone; a gradient behind it goes back from one, and frees what the other saved.
# expect: aot_eager BackendRejected/backward
# expect: aot_eager_default_partitioner BackendRejected/backward
# expect: debug_nop BackendRejected/backward
# expect: invoke_subgraph BackendRejected/backward
# expect: aot_joint BackendRejected/backward
# expect: aot_functional BackendRejected/backward
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendRejected/backward
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: aot_eager_decomp_partition BackendRejected/backward
# expect: aot_eager_decomp_partition_crossref BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts BackendRejected/backward
# expect: nnc_jit BackendRejected/backward
# expect: memory_efficient_fusion BackendRejected/backward
import torch


def inputs(seed, kind):
    w1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    x3 = w1.view(1)
    return (w1, x3), ()


def program(x1, x3):
    y1 = torch.nn.functional.softsign(x1)
    torch.autograd.grad(x1.sum(), [x1])
    return (y1,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
