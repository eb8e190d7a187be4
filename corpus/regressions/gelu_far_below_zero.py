# touchstone: 1
# torch: 2.13.0
# note: what gelu computes far below zero cancels in double precision as well: another way to compute it is as right
import torch


def program(x0):
    y2 = x0.transpose(0, 1)
    y3 = y2.cumsum(1)
    y31 = torch.nn.functional.gelu(y3, approximate="tanh")
    return y31


def inputs_changed(seed, kind):
    b0 = data((3, 4), torch.float64, (seed, 606), kind)
    x0 = b0[1:]
    return (x0,), ()


CALLS = [
    dict(inputs="inputs_changed", seed=10, kind="uniform"),
    dict(inputs="inputs_changed", seed=11, kind="uniform"),
    dict(inputs="inputs_changed", seed=12, kind="uniform"),
]
