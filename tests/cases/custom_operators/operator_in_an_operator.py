# touchstone: 1
# note: one operator calls another, and a function of the file
import torch


@torch.library.custom_op("mine::inner", mutates_args=())
def inner(x: torch.Tensor) -> torch.Tensor:
    return helper(x) * 2


@torch.library.custom_op("mine::outer", mutates_args=("out",))
def outer(x: torch.Tensor, out: torch.Tensor) -> None:
    out.copy_(inner(x) + torch.ops.mine.inner(out))


def helper(x):
    return x + 1


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = w * x
    outer(y, x)
    return (y * x).sum(), x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
