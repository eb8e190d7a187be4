# touchstone: 1
# torch: 2.13.0
# note: a region of autocast is a module of its own, which runs under autocast.
import torch


def inputs(seed, kind):
    b0 = data((1, 1, 1), torch.float32, (seed, 1), kind)
    return (b0,), ()


def program(x1):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y16 = x1 @ x1
    return y16


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
