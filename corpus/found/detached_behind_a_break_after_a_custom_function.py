# touchstone: 1
# torch: 2.13.0
# note: a custom function in Python may save what is detached in place later, a node of autograd may not: compiled code is one
# expect: torch:aot_function Unsupported
# expect: aot_eager Limit/A16
# expect: aot_eager_decomp_partition Limit/A16
# expect: aot_eager_decomp_partition_crossref Limit/A16
# expect: invoke_subgraph Limit/A16
# expect: aot_joint Limit/A16
# expect: aot_functional Limit/A16
# expect: aot_eager_default_partitioner Limit/A16
# expect: debug_nop Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Limit/A16
# expect: nnc_jit Limit/A16
# expect: memory_efficient_fusion Limit/A16
import torch


class TwoInputsTwoOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a - b

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b + h, g * a - h


def inputs(seed, kind):
    w2 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b2 = w2.mul(1)
    return (b2,), (w2,)


def program(x3):
    y0, y1 = TwoInputsTwoOutputs.apply(x3, x3)
    y5 = y0 * 2
    torch._dynamo.graph_break()
    x3.detach_()
    return (y5,)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
