# touchstone: 1
# torch: 2.13.0
import torch
import torch.utils._pytree


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = {"k": [x, y], "l": x}
    b = {"k": [y, x], "l": y}
    return torch.utils._pytree.tree_map(torch.mul, a, b)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
