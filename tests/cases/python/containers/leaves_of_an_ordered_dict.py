# touchstone: 1
# torch: 2.13.0
import collections

import torch
import torch.utils._pytree


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    d = collections.OrderedDict()
    d["b"] = x
    d["a"] = y, x * y
    leaves = torch.utils._pytree.tree_leaves(d)
    return leaves, leaves[0] - leaves[2]


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
