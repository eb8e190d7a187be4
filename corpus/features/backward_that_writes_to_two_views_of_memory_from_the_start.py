# touchstone: 1
# torch: 2.13.0
# note: the same where the first call already has the buffers in one memory
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
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((6,), torch.float32, (seed, 1), kind)
    return (w, m[0:4], m[2:6]), (m,)


def program(w, b, c):
    return (WritesBuffer.apply(w, c[1:]) + WritesBuffer.apply(w, b[1:])).sin()


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
