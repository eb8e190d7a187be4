# touchstone: 1
import torch


class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, times):
        for i in range(times):
            x = x / 2
        ctx.times = times
        return x

    @staticmethod
    def backward(ctx, g):
        i = 0
        while i < ctx.times:
            g = g * 3
            i += 1
        return g, None


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = w
    for n in [1, 2, 0]:
        y = Halves.apply(y, n)
    return y * x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
