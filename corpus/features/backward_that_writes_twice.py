# touchstone: 1
# torch: 2.13.0
# note: two nodes of one backward write to one buffer
# expect: aot_joint Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:aot_function BackendRejected/backward
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
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    b = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, b), ()


def program(x, b):
    return WritesBuffer.apply(x, b).sin(), WritesBuffer.apply(x, b).cos()


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1], backward_times=2),
]
