# touchstone: 1
# torch: 2.13.0
# note: with `out=` they compute in the dtype of what they write to, not in that of their operand.
import torch


def inputs(seed, kind):
    x1 = data((64,), torch.float32, (seed, 1), kind)
    x2 = data((64,), torch.float64, (seed, 2), kind)
    x3 = data((), torch.float64, (seed, 3), kind)
    return (x1, x2, x3), ()


def program(x1, x2, x3):
    y1 = torch.cumsum(x1, 0, out=x2)
    y2 = torch.sum(x1, (0,), out=x3)
    return y1 * 2, y2


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
    dict(inputs="inputs", seed=3, kind="uniform"),
    dict(inputs="inputs", seed=4, kind="uniform"),
]
