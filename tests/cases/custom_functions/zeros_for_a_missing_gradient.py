# touchstone: 1
import torch


class Three(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x.sum(), x.unsqueeze(0).double()

    @staticmethod
    def backward(ctx, f, g, h):
        return f + g * 2 + h.squeeze(0).float() + 1


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a, b, c = Three.apply(w)
    return b * x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
