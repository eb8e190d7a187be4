# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    scale = 2.0
    f = lambda y: y * scale
    a = f(w)
    scale = 3.0
    return a + f(w), x


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
