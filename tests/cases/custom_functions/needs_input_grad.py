# touchstone: 1
import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, bias):
        ctx.save_for_backward(x, w)
        ctx.has_bias = bias is not None
        return x * w + (bias if ctx.has_bias else 0)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = None
        gw = None
        gb = None
        if ctx.needs_input_grad[0]:
            gx = g * w
        if ctx.needs_input_grad[1]:
            gw = (g * x).sum(0)
        if ctx.needs_input_grad[2]:
            gb = g.sum(0)
        return gx, gw, gb


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a = Product.apply(x, w, None)
    b = Product.apply(x, w, w * 2)
    return a + b, a


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
