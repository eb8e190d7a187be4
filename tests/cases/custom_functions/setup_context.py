# touchstone: 1
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
        return g * ctx.n * x ** (ctx.n - 1) + y * 0, None


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a = Power.apply(w, 3)
    b = Power.apply(w, n=2)
    return a + b, x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
