# touchstone: 1
# torch: 2.13.0
import dataclasses

import torch


@dataclasses.dataclass
class State:
    total: torch.Tensor
    count: int = 0
    log: list = dataclasses.field(default_factory=list)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (State(y), x), (y,)


def program(s, x):
    s.total = s.total + x.detach()
    s.count += 1
    return x * s.total, s


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
