# touchstone: 1
# torch: 2.13.0
import torch


class State:
    def __init__(self, values, weight):
        self.values = values
        self.weight = weight
        self.count = 0


def inputs(seed, kind):
    v = data((3, 2), torch.float32, (seed, 0), kind)
    w = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 2), kind)
    return (State(v, w), y), (v,)


def program(s, y):
    s.values.mul_(2)
    s.count += 1
    s.extra = y * s.count
    return s.values.sum() * s.weight, s.extra


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
    dict(inputs=None, backward=[0]),
]
