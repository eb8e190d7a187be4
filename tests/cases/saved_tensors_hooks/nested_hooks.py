# touchstone: 1
import torch


def pack(t):
    return t.detach() * 2


def unpack(packed):
    return packed


def pack_less(t):
    return t.detach() / 4


def unpack_less(packed):
    return packed + 1


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
        with torch.autograd.graph.saved_tensors_hooks(pack_less, unpack_less):
            z = y * y
        w = z * z
    return w


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
