# touchstone: 1
# note: the body sees flags of gradients, and makes none
import torch


@torch.library.custom_op("mine::looks", mutates_args=())
def looks(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    n = 1 if x.requires_grad else 0
    m = 10 if y.requires_grad else 0
    k = 100 if torch.is_grad_enabled() else 0
    return x * 0 + n + m + k


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((3,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    a = looks(w)
    b = looks(x)
    with torch.no_grad():
        c = looks(w)
    return a.detach(), b, c, a.requires_grad, b.requires_grad, c.requires_grad


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
