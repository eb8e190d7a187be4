# touchstone: 1
# torch: 2.13.0
import torch


class Base:
    def __init__(self, t):
        self.held = t

    def run(self, t):
        return self.held * t


class Derived(Base):
    def __init__(self, t, n):
        super().__init__(t)
        self.times = n

    def run(self, t):
        return super().run(t) * self.times


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return Derived(x, 3).run(y), Base(y).run(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
