# touchstone: 1
# torch: 2.13.0
# note: a custom function whose backward is not the derivative, in one gradient and in two
# expect: torch:eager Differs
# expect: torch:aot_eager Differs
# expect: torch:aot_eager_decomp_partition Differs
# expect: torch:inductor Differs
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, n):
        return x.sin() * n

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, n = inputs
        ctx.save_for_backward(x)
        ctx.n = n

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.n * x * x, None


def inputs(seed, kind):
    w = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (w,), ()


def loss(a):
    return Scaled.apply(a, 3).sum()


def slope(a):
    return torch.func.grad(loss)(a).sum()


def program(w):
    return torch.func.grad(loss)(w), torch.func.grad(slope)(w)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
