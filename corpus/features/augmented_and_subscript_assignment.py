# touchstone: 1
# torch: 2.13.0
# note: augmented and subscript assignment
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.clone()
    y += 1
    y[0] = 2
    y[1:, 0] = x[1:, 1]
    y[y > 1] = 0
    x *= y
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
