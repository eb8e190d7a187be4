# touchstone: 1
# expect: torch:fault:setitem_of_a_negative_index_wraps_once_more Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x + 3
    y[-1] = 9
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
