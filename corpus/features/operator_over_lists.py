# touchstone: 1
# torch: 2.13.0
# note: lists of tensors come in and go out, their gradients, and a list that is written to
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: ts Differs/values/call 0 output 1
import torch


@torch.library.custom_op("mine::add_to_all", mutates_args=("xs",))
def add_to_all(xs: list[torch.Tensor], by: float) -> None:
    for y in xs:
        y.add_(by)


@torch.library.custom_op("mine::all_scaled", mutates_args=())
def all_scaled(xs: list[torch.Tensor], factor: float) -> list[torch.Tensor]:
    return [xs[0] * factor, xs[1] * factor]


@all_scaled.register_fake
def _(xs, factor):
    return [torch.empty_like(xs[0]), torch.empty_like(xs[1])]


def setup(ctx, inputs, output):
    ctx.factor = inputs[1]


def backward(ctx, gradients):
    return [gradients[0] * ctx.factor, gradients[1] * 7], None


all_scaled.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a, b = all_scaled([w, w * 2], 3)
    add_to_all([x[0], x[2]], 0.5)
    return (a + b).sum(), x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
