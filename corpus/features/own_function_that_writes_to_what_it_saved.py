# touchstone: 1
# torch: 2.13.0
# note: a backward of a class of the Case writes to what was saved, which the Program returns
# note: a defect: AOTAutograd names the written value among the outputs of a Graph that has not computed it; the native pipeline refuses what it would do too early
# expect: torch:aot_eager InternalError/compile
# expect: torch:aot_eager_decomp_partition InternalError/compile
# expect: torch:aot_function InternalError/compile
# expect: aot_eager Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_joint Unsupported
# expect: aot_functional Unsupported
# expect: aot_eager_default_partitioner Unsupported
# expect: aot_eager_decomp_partition Unsupported
# expect: aot_eager_decomp_partition_crossref Unsupported
# expect: invoke_subgraph Unsupported
# expect: debug_nop Unsupported
# expect: aot_ts Unsupported
# expect: nnc_jit Unsupported
# expect: memory_efficient_fusion Unsupported
import torch


class WritesInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, o):
        ctx.save_for_backward(o)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (o,) = ctx.saved_tensors
        o.add_(g)
        return g.clone(), None


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    o = x.detach().clone()
    return WritesInBackward.apply(x, o).clone(), o


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
