# touchstone: 1
# torch: 2.13.0
import dataclasses

import torch


@dataclasses.dataclass
class Normed:
    values: torch.Tensor

    def __post_init__(self):
        self.length = (self.values * self.values).sum()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    n = Normed(x)
    return n.values / (n.length + 1), n.length


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
