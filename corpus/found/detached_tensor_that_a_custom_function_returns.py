# touchstone: 1
# torch: 2.13.0
# note: the result of a custom function is its input, detached: under Inductor it is the input itself, and the gradient is another, silently.
# expect: torch:inductor Differs/identity/call 0 output 1
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.detach()

    @staticmethod
    def backward(ctx, g):
        return g * 3


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x * 1
    z = Own.apply(y)
    return z, y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
