# touchstone: 1
# torch: 2.13.0
# note: eager's backward from all outputs raises, so each output's is recorded by itself; from two of them a custom function takes another way, which reads more
# expect: aot_eager Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
# expect: debug_nop Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: invoke_subgraph Unsupported
# expect: torch:aot_eager Limit/A8
# expect: torch:aot_eager_decomp_partition Limit/A8
# expect: torch:aot_function Limit/A8
# expect: torch:inductor Limit/A8
import torch


class KeepsNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        if g is None:
            return None
        return g * 2 if h is None else g * 2 + h * 3


def inputs(seed, kind):
    w1 = data((2,), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.mul(1)
    return (b1,), (w1,)


def program(x1):
    y1 = x1.abs()
    x1.mul_(1)
    y16, y17 = KeepsNone.apply(x1)
    y17.index_fill_(0, torch.tensor([1, 1, 1]), 2)
    return y1, y17, y16


CALLS = [
    dict(inputs="inputs", backward=[1, 2]),
    dict(inputs="inputs", seed=1, backward=[1, 2]),
]
