# touchstone: 1
# torch: 2.13.0
# note: the same in a function that the Program calls
# expect: torch:aot_function Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def inputs2(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x, x), ()


def helper(x, y):
    x.unsqueeze_(0)
    n = y.dim()
    x.squeeze_(0)
    return n


def program(x, y):
    n = helper(x, y)
    return y * n


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
