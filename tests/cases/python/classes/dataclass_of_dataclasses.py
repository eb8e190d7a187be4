# touchstone: 1
# torch: 2.13.0
import dataclasses

import torch


@dataclasses.dataclass
class Point:
    across: torch.Tensor
    up: torch.Tensor


@dataclasses.dataclass
class Line:
    start: Point
    end: Point

    def length(self):
        return (self.start.across - self.end.across).square() + (self.start.up - self.end.up).square()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = Point(x, y)
    line = Line(a, Point(y, x * 2))
    moved = dataclasses.replace(line, start=Point(x + 1, y))
    return moved.length() + line.length(), moved


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
