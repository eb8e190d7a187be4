# touchstone: 1
# note: lists of tensors come in and go out, and their gradients
import torch


@torch.library.custom_op("mine::all_scaled", mutates_args=())
def all_scaled(xs: list[torch.Tensor], factor: float) -> list[torch.Tensor]:
    return [xs[0] * factor, xs[1] * factor]


def setup(ctx, inputs, output):
    ctx.factor = inputs[1]


def backward(ctx, gradients):
    needed = ctx.needs_input_grad[0]
    second = gradients[1] * 7 if needed[1] else None
    return [gradients[0] * ctx.factor, second], None


all_scaled.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a, b = all_scaled([w, x], 3)
    c, d = all_scaled((w * 2, w), 0.5)
    return (a + c * d).sum(), b


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
