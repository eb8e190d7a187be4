# touchstone: 1
# torch: 2.13.0
# note: the backward writes to a buffer that is all of its memory, or lies at one place or another in it
# expect: aot_joint Unsupported
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
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
    b = data((3,), torch.float32, (seed, 1), kind)
    return (w, b), ()


def inputs_begin(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((6,), torch.float32, (seed, 1), kind)
    return (w, m[0:3]), (m,)


def inputs_end(seed, kind):
    w = data((3,), torch.float32, (seed, 2), kind).requires_grad_()
    m = data((6,), torch.float32, (seed, 1), kind)
    return (w, m[3:6]), (m,)


def program(w, b):
    return WritesBuffer.apply(w, b).sin()


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs_begin", seed=2, backward=[0]),
    dict(inputs="inputs_end", seed=3, backward=[0]),
    dict(inputs="inputs_begin", seed=4, backward=[0]),
]
