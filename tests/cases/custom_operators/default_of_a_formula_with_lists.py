# touchstone: 1
# note: arguments that are defaults are none to autograd, so that a formula for them is of another structure
import torch


@torch.library.custom_op("mine::all_scaled", mutates_args=())
def all_scaled(xs: list[torch.Tensor], factor: float = 2.0) -> list[torch.Tensor]:
    return [xs[0] * factor, xs[1] * factor]


def setup(ctx, inputs, output):
    ctx.factor = inputs[1]


def backward(ctx, gradients):
    return [gradients[0] * ctx.factor, gradients[1] * ctx.factor], None


all_scaled.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a, b = all_scaled([w, x], 2.0)
    c, d = all_scaled([w, x], 0.5)
    return (a + b).sum(), (c * d).sum()


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
