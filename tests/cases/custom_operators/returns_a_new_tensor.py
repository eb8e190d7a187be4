# touchstone: 1
# note: an operator that returns a new tensor, called by name, by path and by keyword
import torch


@torch.library.custom_op("mine::scale", mutates_args=())
def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


@scale.register_fake
def _(x, factor=2.0):
    return torch.empty_like(x)


def setup(ctx, inputs, output):
    x, ctx.factor = inputs


def backward(ctx, g):
    return g * ctx.factor, None


scale.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a = scale(w)
    b = torch.ops.mine.scale(x, 3.0)
    c = torch.ops.mine.scale.default(x=x, factor=0.5)
    return (a + b).sum(), b, c


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
