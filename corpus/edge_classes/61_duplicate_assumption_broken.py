# touchstone: 1
# torch: 2.13.0
# note: the same tensor in two slots when compiled, two tensors later
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x, x), ()


def inputs_apart(seed, kind):
    return (data((3, 4), torch.float32, (seed, 0), kind), data((3, 4), torch.float32, (seed, 1), kind)), ()


def program(x, y):
    x.mul_(2)
    return x + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs_apart", seed=3),
]
