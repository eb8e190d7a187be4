# touchstone: 1
# note: two results, one of which no gradient reaches
import torch


@torch.library.custom_op("mine::pair", mutates_args=())
def pair(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x + y, x * y


def setup(ctx, inputs, output):
    x, y = inputs
    ctx.save_for_backward(x, y, output[1])


def backward(ctx, g, h):
    x, y, product = ctx.saved_tensors
    first = g + h * y if ctx.needs_input_grad[0] else None
    second = g + h * x * 3 if ctx.needs_input_grad[1] else None
    return first, second


pair.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a, b = pair(w, w * 2)
    c, d = pair(x[0], w)
    return (b + c).sum(), a, d


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
