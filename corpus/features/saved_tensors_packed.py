# touchstone: 1
# torch: 2.13.0
# note: what is saved for the backward goes through two functions, which give another value
import torch


def pack(t):
    return t.detach() * 2


def unpack(packed):
    return packed


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    return y.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0], tangent_seed=3),
    dict(inputs="inputs", seed=2, backward=[0], tangent_seed=4),
]
