# touchstone: 1
# note: without a gradient that is wanted, none is missed
import torch


@torch.library.custom_op("mine::scale", mutates_args=())
def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


@scale.register_fake
def _(x, factor=2.0):
    return torch.empty_like(x)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    with torch.no_grad():
        a = scale(w)
    return (a * w).sum(), a, scale(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
