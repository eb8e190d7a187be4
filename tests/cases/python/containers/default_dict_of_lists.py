# touchstone: 1
# torch: 2.13.0
import collections

import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    d = collections.defaultdict(list)
    d["sums"].append(x + y)
    d["products"].append(x * y)
    d["sums"].append(x)
    return d["sums"][0] * d["sums"][1], d


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
