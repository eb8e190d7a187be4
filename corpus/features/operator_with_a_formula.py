# touchstone: 1
# torch: 2.13.0
# note: a custom operator with an autograd formula, called by name and by path, its result written to afterwards
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


@torch.library.custom_op("mine::square", mutates_args=())
def square(x: torch.Tensor) -> torch.Tensor:
    return x * x


@square.register_fake
def _(x):
    return torch.empty_like(x)


def setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def backward(ctx, g):
    (x,) = ctx.saved_tensors
    return g * x * 2


square.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = square(w)
    z = torch.ops.mine.square(x * y)
    z.mul_(2)
    return (z + y).sum(), z


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
