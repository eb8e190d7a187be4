# touchstone: 1
# torch: 2.13.0
import torch
import torch.utils._pytree


def doubled(v):
    return v * 2


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    tree = {"a": [x, y], "b": (x * 2, 3)}
    leaves = torch.utils._pytree.tree_leaves(tree)
    mapped = torch.utils._pytree.tree_map(doubled, tree)
    return mapped["a"][0] + leaves[2], mapped


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
