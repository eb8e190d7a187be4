# touchstone: 1
# torch: 2.13.0
# note: the backward writes to a buffer, and raises where what was saved lies in the same memory
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: aot_eager Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: invoke_subgraph Unsupported
# expect: debug_nop Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
# expect: torch:aot_function BackendAccepts
# expect: torch:aot_eager BackendAccepts
# expect: torch:aot_eager_decomp_partition BackendAccepts
# expect: torch:aot_eager_default_partitioner BackendAccepts
# expect: torch:inductor Differs/version
import torch


class WritesBuffer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.b = b
        return a * 2

    @staticmethod
    def backward(ctx, g):
        ctx.b.add_(1)
        return g * 3, None


def inputs(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 1), kind)
    c = data((3,), torch.float32, (seed, 3), kind)
    return (w, b, c), ()


def inputs_shared(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((3,), torch.float32, (seed, 1), kind)
    return (w, m, m.detach()), ()


def program(w, b, c):
    return WritesBuffer.apply(w * c, b).sin()


CALLS = [
    dict(inputs="inputs_shared", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_shared", seed=2, backward=[0]),
]
