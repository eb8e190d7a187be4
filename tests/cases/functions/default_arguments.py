# touchstone: 1
import torch


def scaled(x, factor=2.0, power=2, *rest):
    y = (x * factor) ** power
    for r in rest:
        y = y + r
    return y


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    return scaled(w) + scaled(w, 0.5) + scaled(w, power=3) + scaled(w, 1.5, 1, x, x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
