# touchstone: 1
# note: what the schema does not take is refused by the call
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
    return scale(x, 1j)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
