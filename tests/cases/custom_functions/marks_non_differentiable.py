# touchstone: 1
import torch


class Sorts(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x)
        rest = x * 3
        ctx.mark_non_differentiable(indices, rest)
        ctx.save_for_backward(indices)
        ctx.shape = x.shape
        return values, indices, rest

    @staticmethod
    def backward(ctx, g, unused, also):
        (indices,) = ctx.saved_tensors
        return torch.zeros(ctx.shape).scatter_add(0, indices, g) + also


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    values, indices, rest = Sorts.apply(w)
    return values * 2, indices, rest, rest.requires_grad


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
