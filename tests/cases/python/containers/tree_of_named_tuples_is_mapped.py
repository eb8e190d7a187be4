# touchstone: 1
# torch: 2.13.0
import collections

import torch
import torch.utils._pytree

Pair = collections.namedtuple("Pair", ["left", "right"])


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    tree = {"p": Pair(x, [y]), "n": (1, None)}
    return torch.utils._pytree.tree_map(lambda v: v * 2 if isinstance(v, torch.Tensor) else v, tree)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
