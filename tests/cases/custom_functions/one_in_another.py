# touchstone: 1
import torch


class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return scaled(g, 3) * x


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            ctx.y, ctx.z = y, Inner.apply(y)
        return ctx.z.detach()

    @staticmethod
    def backward(ctx, g):
        (h,) = torch.autograd.grad(ctx.z, ctx.y, g)
        return Inner.apply(h)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def scaled(g, n):
    return g * n


def program(x, w):
    return Outer.apply(w) + Inner.apply(w * x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
