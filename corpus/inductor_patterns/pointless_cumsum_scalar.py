# touchstone: 1
# torch: 2.13.0
# note: cumsum of a constant without dimensions. What differs is a defect of Inductor's (docs/findings.md, 14.9)
# expect: torch:inductor InternalError/compile
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.cumsum(torch.ones(()), 0) + x, torch.cumsum(torch.full((), 2.0), -1)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
