# touchstone: 1
# torch: 2.13.0
# note: no assignment had a size that 4 divides
import torch


def inputs(seed, kind):
    x0 = data((2, 2, 4), torch.float32, (seed, 1), kind)
    return (x0,), ()


def inputs_2(seed, kind):
    x0 = data((2, 8, 6), torch.float32, (seed, 1), kind)
    return (x0,), ()


def program(x0):
    y0 = torch.nn.functional.max_pool2d(x0, 2, padding=1)
    return torch.nn.functional.pad(y0, (y0.size(-1) % 2, 0))


CALLS = [
    dict(inputs="inputs_2"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
COMPILE = dict(dynamic=True)
