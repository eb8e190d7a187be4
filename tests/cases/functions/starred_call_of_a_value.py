# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    def total(*ys):
        r = ys[0]
        for y in ys[1:]:
            r = r + y
        return r
    both = x, w
    return total(*both, w), total(*[y * 2 for y in both])


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
