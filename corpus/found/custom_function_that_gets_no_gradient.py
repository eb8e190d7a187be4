# touchstone: 1
# torch: 2.13.0
# note: a custom function in front of a break gets no gradient from the one behind it, and is given zeros. Behind the break AOT autograd says that the result requires no grad: a bug.
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: aot_eager Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: invoke_subgraph Unsupported
# expect: debug_nop Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager_default_partitioner Differs/requires_grad
# expect: torch:aot_eager Differs/requires_grad
# expect: torch:aot_eager_decomp_partition Differs/requires_grad
# expect: torch:inductor Differs/requires_grad
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class KeepsNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x, x

    @staticmethod
    def backward(ctx, g, h):
        return None


def inputs(seed, kind):
    w0 = data((), torch.float32, (seed, 1), kind)
    b2 = torch.ones(()).requires_grad_()
    return (w0, b2), ()


def program(x1, x3):
    y10 = Scaled.apply(x3)
    torch._dynamo.graph_break()
    y16, y17 = KeepsNone.apply(y10)
    return y17


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
