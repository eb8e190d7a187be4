# touchstone: 1
# torch: 2.13.0
import torch
import torch.utils._pytree


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    leaves, spec = torch.utils._pytree.tree_flatten([x, {"k": y}])
    again = torch.utils._pytree.tree_unflatten([leaves[0] + 1, leaves[1]], spec)
    return again[0] * again[1]["k"]


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
