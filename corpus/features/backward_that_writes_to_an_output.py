# touchstone: 1
# torch: 2.13.0
# note: the buffer that the backward writes to is an output; PyTorch's pipeline does the write in the forward
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
# expect: torch:aot_eager Differs/values
# expect: torch:aot_eager_decomp_partition Differs/values
# expect: torch:aot_function Differs/values
# expect: torch:inductor Differs/values
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
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    b = x.detach() * 1
    return WritesBuffer.apply(x, b).sin(), b


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0], backward_times=2),
]
