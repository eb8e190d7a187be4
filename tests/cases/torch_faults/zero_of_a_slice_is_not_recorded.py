# touchstone: 1
# expect: torch:fault:zero_of_a_slice_is_not_recorded Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x + 3
    y[1:3].zero_()
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
