# touchstone: 1
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, n):
        return x.sin() * n

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, n = inputs
        ctx.save_for_backward(x, output)
        ctx.n = n

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * ctx.n * x.cos() + y * 0, None


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3,), torch.float32, (seed, 2), kind)
    return (x, w, b), ()


def f(a):
    return Scaled.apply(a, 3).sum()


def program(x, w, b):
    g, value = torch.func.grad_and_value(f)(w)
    out, pullback = torch.func.vjp(f, b)
    return g, value, pullback(torch.ones(()))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
