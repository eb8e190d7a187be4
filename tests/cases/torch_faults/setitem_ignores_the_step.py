# touchstone: 1
# expect: torch:fault:setitem_ignores_the_step Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x + 3
    y[0:5:2] = 7
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
