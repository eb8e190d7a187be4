# touchstone: 1
import torch


def pack(t):
    return t.detach() * 2


def unpack(packed):
    return packed


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    for i in range(3):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            x = x * x + i
    return x * y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=1),
]
