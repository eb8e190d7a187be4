# touchstone: 1
# torch: 2.13.0
# note: set_ and back is no mutation
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((3, 4), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    old = x.view(-1).view(3, 4)
    torch.ops.aten.set_.source_Tensor(x, y)
    z = x.mul(2)
    torch.ops.aten.set_.source_Tensor(x, old)
    return z


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
