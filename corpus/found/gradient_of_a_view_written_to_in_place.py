# touchstone: 1
# torch: 2.13.0
# note: autograd.grad with respect to a view that was written to in place, of what an as_strided view of another argument stands beside
# expect: torch:aot_eager BackendRejected/forward
# expect: torch:aot_eager_decomp_partition BackendRejected/forward
# expect: torch:aot_function Unsupported
# expect: torch:inductor BackendRejected/forward
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


def program(x0, x2, x3):
    torch.threshold_(x3, 0.5, 0.25)
    torch.autograd.grad(x3.sum(), [x3], retain_graph=True)
    return


def inputs(seed, kind):
    b0 = data((), torch.float32, (seed, 1), kind).requires_grad_()
    w1 = data((1, 1), torch.float64, (seed, 1), kind).requires_grad_()
    b1 = w1.clone()
    x2 = torch.as_strided(b0, (1, 1), (1, 1), 0)
    x3 = b1.permute((1, 0))
    return (b0, x2, x3), (w1,)


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
