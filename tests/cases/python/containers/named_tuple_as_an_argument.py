# touchstone: 1
# torch: 2.13.0
import collections

import torch

Pair = collections.namedtuple("Pair", ["left", "right"])


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (Pair(y, y * 2), x), ()


def program(p, x):
    left, right = p
    return Pair(right, left * x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[1]),
    dict(inputs="inputs", seed=8, backward=[1]),
]
