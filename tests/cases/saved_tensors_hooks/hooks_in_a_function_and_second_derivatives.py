# touchstone: 1
import torch


def pack(t):
    return t.detach() * 2


def unpack(packed):
    return packed


def cube(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return x * x * x


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return cube(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], via="grad", tangent_seed=1, derivatives=2),
    dict(inputs="inputs", seed=8, backward=[0], via="grad", tangent_seed=2, derivatives=2),
]
