# touchstone: 1
# torch: 2.13.0
# note: an argument that is returned as it is may not be saved in setup_context, whether or not a backward may come.
import torch


class Own0(torch.autograd.Function):
    @staticmethod
    def forward(y2, x1):
        return helper_2(y2, x1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        y2, x1 = inputs
        ctx.save_for_backward(y2)

    @staticmethod
    def backward(ctx, g0, g1):
        return


def inputs(seed, kind):
    b1 = 1, 1, 1
    b2 = data((), torch.float32, (seed, 1), kind)
    return (b1, b2), ()


def helper_2(y2, x1):
    return y2, y2


def program(x1, x2):
    y3, y4 = Own0.apply(x2, x1)
    return


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
