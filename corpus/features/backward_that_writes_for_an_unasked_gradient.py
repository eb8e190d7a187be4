# touchstone: 1
# torch: 2.13.0
# note: a node of the backward writes to a buffer and leads to one leaf alone: where that is not asked for, it does not run
# expect: aot_joint Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function Differs/input_values
# expect: torch:aot_eager Differs/input_values
# expect: torch:aot_eager_decomp_partition Differs/input_values
# expect: torch:aot_eager_default_partitioner Differs/input_values
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
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 1), kind)
    return (x, w, b), ()


def program(x, w, b):
    return WritesBuffer.apply(x, b) * w


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0], wrt=[1]),
    dict(inputs="inputs", seed=2, backward=[0], wrt=[0]),
    dict(inputs="inputs", seed=3, backward=[0], via="grad", wrt=[1]),
    dict(inputs="inputs", seed=4, backward=[0], via="grad", wrt=[0, 1]),
]
