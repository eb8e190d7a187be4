# touchstone: 1
# note: None is not what the operator says it returns nothing of
import torch


@torch.library.custom_op("mine::says_none", mutates_args=("x",))
def says_none(x: torch.Tensor) -> None:
    x.add_(1)
    return x + 1


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    says_none(x)
    return x


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
