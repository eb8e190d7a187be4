# touchstone: 1
# note: the body draws
import torch


@torch.library.custom_op("mine::noisy", mutates_args=("out",))
def noisy(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    out.normal_()
    return torch.nn.functional.dropout(x, 0.5) + torch.rand_like(x)


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    y = torch.empty_like(x)
    a = noisy(x, y)
    b = noisy(x, y)
    return a, b, y, torch.rand(3)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
