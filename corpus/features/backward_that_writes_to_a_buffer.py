# touchstone: 1
# torch: 2.13.0
# note: the backward counts itself in a buffer that the caller holds
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


def between(args, outs):
    args[1].add_(10)


def program(x, b):
    return WritesBuffer.apply(x, b).sin()


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0], backward_times=2),
    dict(inputs="inputs", seed=3, backward=[0], between="between"),
]
