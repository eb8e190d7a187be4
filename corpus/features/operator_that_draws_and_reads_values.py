# touchstone: 1
# torch: 2.13.0
# note: a custom operator whose body draws and goes by values, called twice with the same argument
import torch


@torch.library.custom_op("mine::noisy", mutates_args=())
def noisy(x: torch.Tensor) -> torch.Tensor:
    if x.sum().item() > 0:
        return x + torch.rand_like(x)
    return torch.nn.functional.dropout(x, 0.5)


@noisy.register_fake
def _(x):
    return torch.empty_like(x)


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a = noisy(x)
    b = noisy(x)
    return a, b, noisy(-x)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
