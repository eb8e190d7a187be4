# touchstone: 1
# torch: 2.13.0
import torch


class Counter:
    made = 2
    scale = 0.5

    def __init__(self):
        self.count = 0

    def add(self, t):
        self.count += t.numel()


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a = Counter()
    b = Counter()
    a.add(x)
    b.add(y)
    return a.scale * x + Counter.made, a.count


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
