# touchstone: 1
# note: what a view shows is written to, and its base with it
import torch


@torch.library.custom_op("mine::double_", mutates_args=("x",))
def double_(x: torch.Tensor) -> None:
    x.mul_(2)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = x * w
    double_(y[0])
    double_(x[:, 1:])
    return y.sum(), x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
