# touchstone: 1
# torch: 2.13.0
import torch


class Holder:
    def __init__(self, values):
        self.values = values
        self.inner = None


def inputs(seed, kind):
    v = data((3, 2), torch.float32, (seed, 0), kind)
    a = Holder(v)
    b = Holder(v)
    a.inner = b
    return (a, b), (v,)


def program(a, b):
    a.values.add_(1)
    return b.values * 2, a.values is b.values, a


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
