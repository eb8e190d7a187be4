# touchstone: 1
# note: each tensor of a list is written to, one of them twice
import torch


@torch.library.custom_op("mine::add_to_all", mutates_args=("xs",))
def add_to_all(xs: list[torch.Tensor], source: torch.Tensor) -> None:
    for y in xs:
        y.add_(source)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = x * 2
    add_to_all([y[0], y[1], x[0]], w)
    add_to_all([x[1], x[1]], w)
    return (y * w).sum(), x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
