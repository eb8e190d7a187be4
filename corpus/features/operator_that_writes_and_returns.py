# touchstone: 1
# torch: 2.13.0
# note: a custom operator that writes and returns, with a default; views of what it writes are read afterwards
import torch


@torch.library.custom_op("mine::shift", mutates_args=("x",))
def shift(x: torch.Tensor, by: float = 1.0) -> torch.Tensor:
    before = x.clone()
    x.add_(by)
    return before


@shift.register_fake
def _(x, by=1.0):
    return torch.empty_like(x)


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = x.t()
    a = shift(y)
    b = shift(y[0], 3.0)
    return a, b, x, y[0:2]


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
