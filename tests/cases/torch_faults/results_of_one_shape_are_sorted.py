# touchstone: 1
# expect: torch:fault:results_of_one_shape_are_sorted Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = x.sin()
    b = x.cos()
    c = x.tan()
    return b, a, c


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
