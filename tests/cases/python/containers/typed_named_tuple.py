# touchstone: 1
# torch: 2.13.0
import typing

import torch


class Result(typing.NamedTuple):
    values: torch.Tensor
    rest: torch.Tensor
    count: int = 3

    def total(self):
        return self.values + self.rest


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    r = Result(x.sin(), y)
    a, b, n = r
    return r, a + b, r.count + n


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
