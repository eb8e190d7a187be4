# touchstone: 1
import torch


def pack(t):
    t.add_(1)
    return t.detach()


def unpack(packed):
    return packed


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * 2).sin()
    return y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
