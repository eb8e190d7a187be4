# touchstone: 1
# torch: 2.13.0
# note: the gradient of a class of the Case that is marked `once_differentiable` is differentiated once more, which raises
# note: AOT autograd gives no second derivatives
# expect: torch:aot_eager Limit/A13
# expect: torch:aot_eager_decomp_partition Limit/A13
# expect: torch:aot_function Limit/A13
# expect: aot_eager Limit/A13
# expect: aot_joint Limit/A13
# expect: aot_functional Limit/A13
# expect: aot_eager_default_partitioner Limit/A13
# expect: aot_eager_decomp_partition Limit/A13
# expect: aot_eager_decomp_partition_crossref Limit/A13
# expect: invoke_subgraph Limit/A13
# expect: debug_nop Limit/A13
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: aot_ts Limit/A13
# expect: nnc_jit Limit/A13
# expect: memory_efficient_fusion Limit/A13
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * 2


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return Cube.apply(x * 2) * x


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], via="grad", tangent_seed=3, create_graph=True),
    dict(inputs="inputs", seed=2, backward=[0], via="grad", tangent_seed=4, create_graph=True),
    dict(inputs="inputs", seed=3, backward=[0], via="grad", tangent_seed=5, create_graph=True, derivatives=2),
]
