# touchstone: 1
# torch: 2.13.0
# note: custom autograd functions: one saves its inputs and has two outputs, one returns a view, one writes to its input; for other sizes, and from one root alone
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class MarksDirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3


class ReturnsView(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.transpose(0, -1)

    @staticmethod
    def backward(ctx, g):
        return g.transpose(0, -1) * 2


class TwoInputsTwoOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a - b

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        return g * b + h, g * a - h


def inputs(seed, kind):
    a = data((3, 4), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((3, 4), torch.float32, (seed, 2), kind).requires_grad_()
    return (a, b), ()


def inputs_2(seed, kind):
    a = data((5, 6), torch.float32, (seed, 1), kind).requires_grad_()
    b = data((5, 6), torch.float32, (seed, 2), kind).requires_grad_()
    return (a, b), ()


def program(a, b):
    c, d = TwoInputsTwoOutputs.apply(a, b)
    e = ReturnsView.apply(c[1:])
    f = MarksDirty.apply(d * 2)
    return e, f, e.sum(1)


CALLS = [
    dict(inputs="inputs", backward=[0, 1]),
    dict(inputs="inputs_2", backward=[0, 1, 2]),
    dict(inputs="inputs_2", seed=1, backward=[2]),
]
COMPILE = dict(dynamic=True)
