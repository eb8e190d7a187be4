# touchstone: 1
# expect: torch:fault:merging_ignores_what_is_behind_the_third_argument Differs/shape/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[1:3] * 2, x[1:4] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
