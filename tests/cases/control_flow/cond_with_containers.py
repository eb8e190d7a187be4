# touchstone: 1
# torch: 2.13.0
import torch


def up(pair, named):
    return pair[0] * pair[1] + named["k"]


def down(pair, named):
    return pair[0] - named["k"]


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    return torch.cond(x.sum() > 0, up, down, ([x, y], {"k": y * 2}))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
