# touchstone: 1
# torch: 2.13.0
# note: a class of the Case with `setup_context`, a number among its arguments, and a gradient that is not the derivative
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class Power(torch.autograd.Function):
    @staticmethod
    def forward(x, n):
        return x ** n

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, n = inputs
        ctx.save_for_backward(x, output)
        ctx.n = n

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x * ctx.n + y, None


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return Power.apply(x, 3) + Power.apply(x.sin(), 2)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
