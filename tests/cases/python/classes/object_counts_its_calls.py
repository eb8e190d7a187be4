# touchstone: 1
# torch: 2.13.0
import torch


class Counted:
    def __init__(self, f):
        self.function = f
        self.calls = 0

    def __call__(self, t):
        self.calls += 1
        return self.function(t)


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    c = Counted(torch.sin)
    z = c(x) * c(y)
    return c(z), c.calls


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
