# touchstone: 1
# torch: 2.13.0
import dataclasses

import torch


@dataclasses.dataclass(frozen=True, order=True)
class Shape:
    rows: int
    columns: int


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = Shape(x.size(0), x.size(1))
    b = dataclasses.replace(a, rows=9)
    return x * b.rows if a < b and a == Shape(3, 2) else y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
