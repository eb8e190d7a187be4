# touchstone: 1
import torch


def scaled(x: torch.Tensor, by: float = 2.0, names: list[str] | None = None) -> torch.Tensor:
    return x * by


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return scaled(w) + scaled(x, by=3.0)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
