# touchstone: 1
# torch: 2.13.0
import torch
import torch.utils._pytree


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    leaves, spec = torch.utils._pytree.tree_flatten({"a": x * y, "b": [y, None, 2]})
    return torch.utils._pytree.tree_unflatten(list(reversed(leaves)), spec)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
