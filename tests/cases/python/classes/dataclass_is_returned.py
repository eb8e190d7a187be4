# touchstone: 1
# torch: 2.13.0
import dataclasses

import torch


@dataclasses.dataclass
class Pair:
    left: torch.Tensor
    right: torch.Tensor
    weight: float = 2.0

    def total(self):
        return self.left + self.right * self.weight


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    p = Pair(x, y)
    y.add_(1)
    return Pair(p.total(), p.left, 3.0)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
