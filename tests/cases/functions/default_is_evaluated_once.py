# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    n = 2
    def f(y, scale=n, seen=[]):
        seen.append(scale)
        return y * scale + len(seen)
    n = 5
    return f(w) + f(w) + f(w, 3), n


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
