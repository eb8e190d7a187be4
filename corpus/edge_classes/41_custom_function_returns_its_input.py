# touchstone: 1
# torch: 2.13.0
# note: a custom autograd function that returns its input
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class ReturnsInput(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return ReturnsInput.apply(x), x.mul(3)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
