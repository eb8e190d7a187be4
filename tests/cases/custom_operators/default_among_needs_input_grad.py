# touchstone: 1
# note: needs_input_grad has nothing for an argument that is the default
import torch


@torch.library.custom_op("mine::scaled", mutates_args=())
def scaled(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


def setup(ctx, inputs, output):
    ctx.factor = inputs[1]


def backward(ctx, g):
    if ctx.needs_input_grad[1]:
        return g * 100, None
    return g * ctx.factor, None


scaled.register_autograd(backward, setup_context=setup)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    return scaled(w, 3.0).sum(), scaled(w).sum()


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0, 1]),
    dict(inputs="inputs", seed=8, backward=[0, 1]),
]
