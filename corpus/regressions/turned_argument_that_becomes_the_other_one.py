# touchstone: 1
# torch: 2.13.0
# note: one argument is turned in place, then the layout of another is asked for; later both are one tensor
import torch


def inputs(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    y = data((2, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs_2(seed, kind):
    x = data((2, 2), torch.float32, (seed, 0), kind)
    return (x, x), ()


def program(x, y):
    x.t_()
    return y + y.stride(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs", seed=3),
    dict(inputs="inputs_2", seed=4),
]
