# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    fs = []
    for k in range(3):
        fs.append(lambda y: y * k)
    early = [lambda y, k=k: y * k for k in range(3)]
    r = x * 0
    for f in fs:
        r = r + f(w)
    for f in early:
        r = r + f(w)
    return r


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
