# touchstone: 1
import torch


class SavesBoth(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        z = x * y
        ctx.save_for_backward(x, None, z)
        return z, y + 1

    @staticmethod
    def backward(ctx, g, h):
        x, nothing, z = ctx.saved_tensors
        return g * z if nothing is None else None, g * x + h


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = w * 2
    z, u = SavesBoth.apply(y, w)
    u.mul_(2)
    y.add_(1)
    return z, u


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
