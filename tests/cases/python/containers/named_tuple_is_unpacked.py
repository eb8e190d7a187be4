# touchstone: 1
# torch: 2.13.0
import collections

import torch

Pair = collections.namedtuple("Pair", ["left", "right"])


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    p = Pair(x, y)
    q = p._replace(right=x * y)
    left, right = q
    return q, left + right, p.right


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
