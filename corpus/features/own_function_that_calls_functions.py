# touchstone: 1
# torch: 2.13.0
# note: a class of the Case whose bodies branch on sizes and on what is needed, call a function of the file and another class
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
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
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        ctx.wide = x.shape[1] > 3
        mask = w * 2
        ctx.mark_non_differentiable(mask)
        return x * w, mask

    @staticmethod
    def backward(ctx, g, h):
        x, w = ctx.saved_tensors
        gx = None
        if ctx.needs_input_grad[0]:
            gx = Inner.apply(g) if ctx.wide else g * w
        return gx, g * x * 5 + h


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def scaled(g, n):
    return g * n


def program(x):
    y, w = Outer.apply(x, x.cos())
    return Inner.apply(y) * w, w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
