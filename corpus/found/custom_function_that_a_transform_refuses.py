# touchstone: 1
# torch: 2.13.0
# note: a custom function without a rule for vmap, without `jvp` or without `setup_context` is refused by the transforms of eager; Dynamo traces its forward as plain operators and refuses nothing
# expect: torch:eager MissingRefusal
# expect: torch:aot_eager MissingRefusal
# expect: torch:aot_eager_decomp_partition MissingRefusal
# expect: torch:inductor MissingRefusal
# expect: eager BothRejected
# expect: aot_joint BothRejected
# expect: aot_functional BothRejected
# expect: aot_eager_default_partitioner BothRejected
# expect: aot_eager BothRejected
# expect: aot_eager_decomp_partition BothRejected
# expect: aot_eager_decomp_partition_crossref BothRejected
# expect: eager_noexcept BothRejected
# expect: pre_dispatch_eager BothRejected
# expect: eager_debug BothRejected
# expect: invoke_subgraph BothRejected
# expect: debug_nop BothRejected
# expect: ts BothRejected
# expect: simple_ts_compile BothRejected
# expect: ts_compile BothRejected
# expect: aot_ts BothRejected
# expect: nnc_jit BothRejected
# expect: memory_efficient_fusion BothRejected
# expect: torch:eager_python BothRejected
# expect: torch:aot_function BothRejected
import torch


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g * 2


def doubled(x):
    return Doubled.apply(x)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.vmap(doubled)(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
