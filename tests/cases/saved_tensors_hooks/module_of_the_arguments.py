# touchstone: 1
import torch


def pack(t):
    return t.detach() * 2


def unpack(packed):
    return packed


def inputs(seed, kind):
    m = torch.nn.Linear(2, 2)
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    return (m, x), ()


def program(m, x):
    h = m(x)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = torch.nn.functional.gelu(m(h))
    return y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=1),
]
