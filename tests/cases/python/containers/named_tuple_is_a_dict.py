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
    p = Pair(left=x, right=y)
    d = p._asdict()
    return d["left"] * d["right"], d


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
