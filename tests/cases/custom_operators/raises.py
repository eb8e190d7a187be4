# touchstone: 1
# note: the body raises after a write
import torch


@torch.library.custom_op("mine::broken", mutates_args=("x",))
def broken(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x.view(7) + w


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    x.mul_(2)
    return broken(x, w)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
